package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
)

// A file of gzip is one member or several, one behind the other, each of which can be unpacked without those before
// it. Lines may begin in one member and end in another. An item of members has the lines that begin behind the first
// byte of its members and not behind the first byte after them, and the first item that of the file's first byte, too.

const (
	memberMagic  = "\x1f\x8b\x08"
	mostBlock    = 1 << 16 // bytes of a block of BGZF
	mostOfHeader = 1 << 9  // of a block of BGZF that is looked at
)

// cutMembers returns where items of about the given number of bytes begin, the first of them at 0. The blocks of BGZF, as
// bgzip writes them, say how long they are. The members of other files are found by unpacking the file once, unless it
// plainly has only one. Of a file that is damaged there are no cuts: reading it says where.
func cutMembers(f io.ReaderAt, size, piece int64) ([]int64, error) {
	pieces := (size + piece - 1) / piece
	cuts := []int64{0}
	cut := func(after func(at int64) (int64, bool)) bool {
		cuts = cuts[:1]
		for k := int64(1); k < pieces; k++ {
			at, ok := after(k * (size / pieces))
			if !ok {
				return false
			}
			if at > cuts[len(cuts)-1] && at < size {
				cuts = append(cuts, at)
			}
		}
		return true
	}
	if _, is := blockAt(f, 0); is && cut(func(at int64) (int64, bool) { return blockAfter(f, at, size) }) {
		return cuts, nil
	}
	several, err := mayHaveMembers(f, size)
	if !several || err != nil {
		return cuts[:1], err
	}
	members, err := membersOf(f, size)
	if err != nil {
		return cuts[:1], err
	}
	cut(func(at int64) (int64, bool) {
		for len(members) > 0 && members[0] < at {
			members = members[1:]
		}
		if len(members) == 0 {
			return size, true
		}
		return members[0], true
	})
	return cuts, nil
}

// blockAt returns the bytes of the block of BGZF at an offset, and false if there is none.
func blockAt(f io.ReaderAt, at int64) (int64, bool) {
	head := make([]byte, mostOfHeader)
	n, _ := f.ReadAt(head, at)
	return blockSize(head[:n])
}

// blockSize returns the bytes of the block of BGZF that begins with head, which may be longer than its header.
func blockSize(head []byte) (int64, bool) {
	const fixed, extra = 12, 4
	if len(head) < fixed || !bytes.HasPrefix(head, []byte(memberMagic)) || head[3]&extra == 0 {
		return 0, false
	}
	order := binary.LittleEndian
	fields := head[fixed:]
	if n := int(order.Uint16(head[10:])); n <= len(fields) {
		fields = fields[:n]
	}
	for len(fields) >= 4 {
		n := int(order.Uint16(fields[2:]))
		if n > len(fields)-4 {
			break
		}
		if fields[0] == 'B' && fields[1] == 'C' && n == 2 {
			return int64(order.Uint16(fields[4:])) + 1, true
		}
		fields = fields[4+n:]
	}
	return 0, false
}

// blockAfter returns the offset of the first block of BGZF that begins at or behind an offset, or the size of the file. What
// looks like a block within another one is none, because there is no other one behind it: the blocks that follow are
// looked at until they are farther away than a block may reach.
func blockAfter(f io.ReaderAt, at, size int64) (int64, bool) {
	window := make([]byte, mostBlock+mostOfHeader)
	n, _ := f.ReadAt(window, at)
	window = window[:n]
	for from := 0; from < mostBlock; {
		k := bytes.Index(window[from:], []byte(memberMagic))
		if k < 0 {
			break
		}
		from += k
		if _, is := blockSize(window[from:]); is && isChain(f, at+int64(from), size) {
			return at + int64(from), true
		}
		from++
	}
	if at == 0 || at+mostBlock < size {
		return 0, false
	}
	// The last block may begin before at: then the blocks from an earlier one on reach the end.
	_, is := blockAfter(f, max(0, at-mostBlock), size)
	return size, is
}

// isChain reports whether blocks of BGZF follow one another from an offset on.
func isChain(f io.ReaderAt, from, size int64) bool {
	at := from
	for at < size && at-from <= 2*mostBlock {
		n, is := blockAt(f, at)
		if !is {
			return false
		}
		at += n
	}
	return at <= size
}

// mayHaveMembers reports whether anything in the file but its beginning looks like a member of gzip.
func mayHaveMembers(f io.ReaderAt, size int64) (bool, error) {
	const trial = 1 << 15
	buf := make([]byte, 1<<20)
	for at := int64(1); at < size; at += int64(len(buf) - len(memberMagic)) {
		n, err := f.ReadAt(buf, at)
		if err != nil && err != io.EOF {
			return false, err
		}
		for from := 0; ; from++ {
			k := bytes.Index(buf[from:n], []byte(memberMagic))
			if k < 0 {
				break
			}
			from += k
			first := at + int64(from)
			z, err := gzip.NewReader(io.NewSectionReader(f, first, size-first))
			if err != nil {
				continue
			}
			z.Multistream(false)
			if _, err := io.CopyN(io.Discard, z, trial); err == nil || err == io.EOF {
				return true, nil
			}
		}
	}
	return false, nil
}

// membersOf unpacks the file and returns the offsets of its members, none if it is damaged.
func membersOf(f io.ReaderAt, size int64) ([]int64, error) {
	section := io.NewSectionReader(f, 0, size)
	r := bufio.NewReaderSize(section, 1<<16)
	var members []int64
	z := new(gzip.Reader)
	for {
		read, err := section.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil, err
		}
		at := read - int64(r.Buffered())
		if err = z.Reset(r); err == io.EOF {
			return members, nil
		}
		if err == nil {
			z.Multistream(false)
			_, err = io.Copy(io.Discard, z)
		}
		if (&textInput{gzip: true}).damaged(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		members = append(members, at)
	}
}

// unpack reads what members of gzip hold in the bytes lo … hi−1 of a file.
func unpack(f io.ReaderAt, lo, hi int64) io.Reader {
	return &unpacked{section: io.NewSectionReader(f, lo, hi-lo)}
}

// unpacked opens the first member when it is read.
type unpacked struct {
	section io.Reader
	z       *gzip.Reader
}

// Read reads the unpacked bytes.
func (u *unpacked) Read(p []byte) (n int, err error) {
	if u.z == nil {
		if u.z, err = gzip.NewReader(bufio.NewReaderSize(u.section, inputBuffer)); err != nil {
			return 0, err
		}
	}
	return u.z.Read(p)
}

// memberLines reads the lines of item it, of members of the file f.
func (it Item) memberLines(f io.ReaderAt) (io.Reader, error) {
	r := unpack(f, it.Lo, it.Hi)
	if it.Lo > 0 {
		b := bufio.NewReaderSize(r, inputBuffer)
		_, err := b.ReadSlice('\n')
		for err == bufio.ErrBufferFull {
			_, err = b.ReadSlice('\n')
		}
		if err == io.EOF {
			return bytes.NewReader(nil), nil
		}
		if err != nil {
			return nil, err
		}
		r = b
	}
	if it.Hi == it.Size {
		return r, nil
	}
	return io.MultiReader(r, &oneLine{r: bufio.NewReaderSize(unpack(f, it.Hi, it.Size), inputBuffer)}), nil
}

// oneLine is a reader that ends after the first line of r.
type oneLine struct {
	r   *bufio.Reader
	end bool
}

// Read reads r up to the end of its first line.
func (l *oneLine) Read(p []byte) (int, error) {
	if l.end || len(p) == 0 {
		return 0, io.EOF
	}
	if _, err := l.r.Peek(1); err != nil {
		return 0, err
	}
	have, _ := l.r.Peek(min(l.r.Buffered(), len(p)))
	if k := bytes.IndexByte(have, '\n'); k >= 0 {
		have, l.end = have[:k+1], true
	}
	n := copy(p, have)
	_, err := l.r.Discard(n)
	return n, err
}
