package blastest

import (
	"testing"

	"gonum.org/v1/gonum/blas/testblas"
	"gonum.org/v1/gonum/lapack/testlapack"
)

// suite is a selection of tests.
type suite struct {
	t    *testing.T
	full bool
}

// quick names the tests of LAPACK that are always run: the routines that the
// rest of the module stands on.
var quick = map[string]bool{
	"Dpotrf": true, "Dpotrs": true, "Dpotri": true, "Dsyev": true, "Dgetrf": true, "Dgetri": true, "Dgeqrf": true, "Dgeqp3": true,
	"Dgelqf": true, "Dorgqr": true, "Dorglq": true, "Dormqr": true, "Dormlq": true,
	"Dtrtri": true, "Dtrtrs": true, "Dlarfb": true, "Dpstrf": true, "Dlatrd": true, "Dpocon": true, "Dgecon": true, "Dtrcon": true, "Dlasr": true, "Dsteqr": true,
}

// run runs test as a subtest if it is selected and impl has what it takes.
func run[T any](s suite, name string, impl any, test func(*testing.T, T)) {
	i, ok := impl.(T)
	if ok && (s.full || quick[name]) {
		s.t.Run(name, func(t *testing.T) { test(t, i) })
	}
}

// level1, level2 and level3 are gonum's tests of float64 BLAS.
func level1(s suite, impl any) {
	run(s, "Dasum", impl, testblas.DasumTest)
	run(s, "Daxpy", impl, testblas.DaxpyTest)
	run(s, "Ddot", impl, testblas.DdotTest)
	run(s, "Dnrm2", impl, testblas.Dnrm2Test)
	run(s, "Idamax", impl, testblas.IdamaxTest)
	run(s, "Dswap", impl, testblas.DswapTest)
	run(s, "Dcopy", impl, testblas.DcopyTest)
	run(s, "Drotmg", impl, testblas.DrotmgTest)
	run(s, "Drot", impl, testblas.DrotTest)
	run(s, "Drotm", impl, testblas.DrotmTest)
	run(s, "Dscal", impl, testblas.DscalTest)
	run(s, "Drotg", impl, func(t *testing.T, i testblas.Drotger) { testblas.DrotgTest(t, i, false) })
}

func level2(s suite, impl any) {
	run(s, "Dgemv", impl, testblas.DgemvTest)
	run(s, "Dger", impl, testblas.DgerTest)
	run(s, "Dtxmv", impl, testblas.DtxmvTest)
	run(s, "Dgbmv", impl, testblas.DgbmvTest)
	run(s, "Dtbsv", impl, testblas.DtbsvTest)
	run(s, "Dsbmv", impl, testblas.DsbmvTest)
	run(s, "Dtbmv", impl, testblas.DtbmvTest)
	run(s, "Dtrsv", impl, testblas.DtrsvTest)
	run(s, "Dtrmv", impl, testblas.DtrmvTest)
	run(s, "Dsymv", impl, testblas.DsymvTest)
	run(s, "Dsyr", impl, testblas.DsyrTest)
	run(s, "Dsyr2", impl, testblas.Dsyr2Test)
	run(s, "Dspr2", impl, testblas.Dspr2Test)
	run(s, "Dspr", impl, testblas.DsprTest)
	run(s, "Dspmv", impl, testblas.DspmvTest)
	run(s, "Dtpsv", impl, testblas.DtpsvTest)
	run(s, "Dtpmv", impl, testblas.DtpmvTest)
}

func level3(s suite, impl any) {
	run(s, "Dgemm", impl, testblas.TestDgemm)
	run(s, "Dsymm", impl, testblas.DsymmTest)
	run(s, "Dtrsm", impl, testblas.DtrsmTest)
	run(s, "Dsyrk", impl, testblas.DsyrkTest)
	run(s, "Dsyr2k", impl, testblas.Dsyr2kTest)
	run(s, "Dtrmm", impl, testblas.DtrmmTest)
}

// lapackAll is gonum's test of LAPACK, as far as impl has the routines.
func lapackAll(s suite, impl any) {
	lapackGeneral(s, impl)
	lapackAuxiliary(s, impl)
	lapackOrthogonal(s, impl)
	lapackDefinite(s, impl)
	lapackTriangular(s, impl)
	run(s, "Dgesvd", impl, func(t *testing.T, i testlapack.Dgesvder) { testlapack.DgesvdTest(t, i, 1e-12) })
}

// lapackGeneral tests the routines of matrices without a structure, and what they reduce to.
func lapackGeneral(s suite, impl any) {
	run(s, "Dbdsqr", impl, testlapack.DbdsqrTest)
	run(s, "Dhseqr", impl, testlapack.DhseqrTest)
	run(s, "Dgebak", impl, testlapack.DgebakTest)
	run(s, "Dgebal", impl, testlapack.DgebalTest)
	run(s, "Dgebd2", impl, testlapack.Dgebd2Test)
	run(s, "Dgebrd", impl, testlapack.DgebrdTest)
	run(s, "Dgecon", impl, testlapack.DgeconTest)
	run(s, "Dgeev", impl, testlapack.DgeevTest)
	run(s, "Dgehd2", impl, testlapack.Dgehd2Test)
	run(s, "Dgehrd", impl, testlapack.DgehrdTest)
	run(s, "Dgelqf", impl, testlapack.DgelqfTest)
	run(s, "Dgelq2", impl, testlapack.Dgelq2Test)
	run(s, "Dgeql2", impl, testlapack.Dgeql2Test)
	run(s, "Dgels", impl, testlapack.DgelsTest)
	run(s, "Dgerq2", impl, testlapack.Dgerq2Test)
	run(s, "Dgesc2", impl, testlapack.Dgesc2Test)
	run(s, "Dgeqp3", impl, testlapack.Dgeqp3Test)
	run(s, "Dgeqr2", impl, testlapack.Dgeqr2Test)
	run(s, "Dgeqrf", impl, testlapack.DgeqrfTest)
	run(s, "Dgerqf", impl, testlapack.DgerqfTest)
	run(s, "Dgesv", impl, testlapack.DgesvTest)
	run(s, "Dgetc2", impl, testlapack.Dgetc2Test)
	run(s, "Dgetri", impl, testlapack.DgetriTest)
	run(s, "Dgetf2", impl, testlapack.Dgetf2Test)
	run(s, "Dgetrf", impl, testlapack.DgetrfTest)
	run(s, "Dgetrs", impl, testlapack.DgetrsTest)
	run(s, "Dgghrd", impl, testlapack.DgghrdTest)
	run(s, "Dggsvd3", impl, testlapack.Dggsvd3Test)
	run(s, "Dggsvp3", impl, testlapack.Dggsvp3Test)
	run(s, "Dgtsv", impl, testlapack.DgtsvTest)
}

// lapackAuxiliary tests the routines that others are made of.
func lapackAuxiliary(s suite, impl any) {
	run(s, "Dlabrd", impl, testlapack.DlabrdTest)
	run(s, "Dlacn2", impl, testlapack.Dlacn2Test)
	run(s, "Dlacpy", impl, testlapack.DlacpyTest)
	run(s, "Dlae2", impl, testlapack.Dlae2Test)
	run(s, "Dlaev2", impl, testlapack.Dlaev2Test)
	run(s, "Dlaexc", impl, testlapack.DlaexcTest)
	run(s, "Dlag2", impl, testlapack.Dlag2Test)
	run(s, "Dlags2", impl, testlapack.Dlags2Test)
	run(s, "Dlagtm", impl, testlapack.DlagtmTest)
	run(s, "Dlahqr", impl, testlapack.DlahqrTest)
	run(s, "Dlahr2", impl, testlapack.Dlahr2Test)
	run(s, "Dlaln2", impl, testlapack.Dlaln2Test)
	run(s, "Dlangb", impl, testlapack.DlangbTest)
	run(s, "Dlange", impl, testlapack.DlangeTest)
	run(s, "Dlangt", impl, testlapack.DlangtTest)
	run(s, "Dlanhs", impl, testlapack.DlanhsTest)
	run(s, "Dlapy2", impl, testlapack.Dlapy2Test)
	run(s, "Dlapll", impl, testlapack.DlapllTest)
	run(s, "Dlapmr", impl, testlapack.DlapmrTest)
	run(s, "Dlapmt", impl, testlapack.DlapmtTest)
	run(s, "Dlas2", impl, testlapack.Dlas2Test)
	run(s, "Dlascl", impl, testlapack.DlasclTest)
	run(s, "Dlaset", impl, testlapack.DlasetTest)
	run(s, "Dlasrt", impl, testlapack.DlasrtTest)
	run(s, "Dlassq", impl, testlapack.DlassqTest)
	run(s, "Dlaswp", impl, testlapack.DlaswpTest)
	run(s, "Dlasy2", impl, testlapack.Dlasy2Test)
	run(s, "Dlansb", impl, testlapack.DlansbTest)
	run(s, "Dlanst", impl, testlapack.DlanstTest)
	run(s, "Dlansy", impl, testlapack.DlansyTest)
	run(s, "Dlantb", impl, testlapack.DlantbTest)
	run(s, "Dlantr", impl, testlapack.DlantrTest)
	run(s, "Dlanv2", impl, testlapack.Dlanv2Test)
	run(s, "Dlaqr04", impl, testlapack.Dlaqr04Test)
	run(s, "Dlaqp2", impl, testlapack.Dlaqp2Test)
	run(s, "Dlaqps", impl, testlapack.DlaqpsTest)
	run(s, "Dlaqr1", impl, testlapack.Dlaqr1Test)
	run(s, "Dlaqr23", impl, testlapack.Dlaqr23Test)
	run(s, "Dlaqr5", impl, testlapack.Dlaqr5Test)
	run(s, "Dlarf", impl, testlapack.DlarfTest)
	run(s, "Dlarfb", impl, testlapack.DlarfbTest)
	run(s, "Dlarfg", impl, testlapack.DlarfgTest)
	run(s, "Dlarft", impl, testlapack.DlarftTest)
	run(s, "Dlarfx", impl, testlapack.DlarfxTest)
	run(s, "Dlartg", impl, testlapack.DlartgTest)
	run(s, "Dlasq1", impl, testlapack.Dlasq1Test)
	run(s, "Dlasq2", impl, testlapack.Dlasq2Test)
	run(s, "Dlasr", impl, testlapack.DlasrTest)
	run(s, "Dlasv2", impl, testlapack.Dlasv2Test)
	run(s, "Dlatbs", impl, testlapack.DlatbsTest)
	run(s, "Dlatrd", impl, testlapack.DlatrdTest)
	run(s, "Dlatrs", impl, testlapack.DlatrsTest)
	run(s, "Dlauu2", impl, testlapack.Dlauu2Test)
	run(s, "Dlauum", impl, testlapack.DlauumTest)
}

// lapackOrthogonal tests the routines of products of reflections.
func lapackOrthogonal(s suite, impl any) {
	run(s, "Dorg2r", impl, testlapack.Dorg2rTest)
	run(s, "Dorgbr", impl, testlapack.DorgbrTest)
	run(s, "Dorghr", impl, testlapack.DorghrTest)
	run(s, "Dorg2l", impl, testlapack.Dorg2lTest)
	run(s, "Dorgl2", impl, testlapack.Dorgl2Test)
	run(s, "Dorglq", impl, testlapack.DorglqTest)
	run(s, "Dorgql", impl, testlapack.DorgqlTest)
	run(s, "Dorgqr", impl, testlapack.DorgqrTest)
	run(s, "Dorgr2", impl, testlapack.Dorgr2Test)
	run(s, "Dorgtr", impl, testlapack.DorgtrTest)
	run(s, "Dormbr", impl, testlapack.DormbrTest)
	run(s, "Dormhr", impl, testlapack.DormhrTest)
	run(s, "Dorml2", impl, testlapack.Dorml2Test)
	run(s, "Dormlq", impl, testlapack.DormlqTest)
	run(s, "Dormqr", impl, testlapack.DormqrTest)
	run(s, "Dormr2", impl, testlapack.Dormr2Test)
	run(s, "Dorm2r", impl, testlapack.Dorm2rTest)
}

// lapackDefinite tests the routines of symmetric positive definite matrices.
func lapackDefinite(s suite, impl any) {
	run(s, "Dpbcon", impl, testlapack.DpbconTest)
	run(s, "Dpbtf2", impl, testlapack.Dpbtf2Test)
	run(s, "Dpbtrf", impl, testlapack.DpbtrfTest)
	run(s, "Dpbtrs", impl, testlapack.DpbtrsTest)
	run(s, "Dpocon", impl, testlapack.DpoconTest)
	run(s, "Dpotf2", impl, testlapack.Dpotf2Test)
	run(s, "Dpotrf", impl, testlapack.DpotrfTest)
	run(s, "Dpotri", impl, testlapack.DpotriTest)
	run(s, "Dpotrs", impl, testlapack.DpotrsTest)
	run(s, "Dpstf2", impl, testlapack.Dpstf2Test)
	run(s, "Dpstrf", impl, testlapack.DpstrfTest)
	run(s, "Dpttrf", impl, testlapack.DpttrfTest)
	run(s, "Dpttrs", impl, testlapack.DpttrsTest)
	run(s, "Dptsv", impl, testlapack.DptsvTest)
	run(s, "Dptcon", impl, testlapack.DptconTest)
}

// lapackTriangular tests the routines of triangular matrices, and of symmetric ones that need not be definite.
func lapackTriangular(s suite, impl any) {
	run(s, "Drscl", impl, testlapack.DrsclTest)
	run(s, "Dsteqr", impl, testlapack.DsteqrTest)
	run(s, "Dsterf", impl, testlapack.DsterfTest)
	run(s, "Dsyev", impl, testlapack.DsyevTest)
	run(s, "Dsytd2", impl, testlapack.Dsytd2Test)
	run(s, "Dsytrd", impl, testlapack.DsytrdTest)
	run(s, "Dtgsja", impl, testlapack.DtgsjaTest)
	run(s, "Dtbtrs", impl, testlapack.DtbtrsTest)
	run(s, "Dtrcon", impl, testlapack.DtrconTest)
	run(s, "Dtrevc3", impl, testlapack.Dtrevc3Test)
	run(s, "Dtrexc", impl, testlapack.DtrexcTest)
	run(s, "Dtrti2", impl, testlapack.Dtrti2Test)
	run(s, "Dtrtri", impl, testlapack.DtrtriTest)
	run(s, "Dtrtrs", impl, testlapack.DtrtrsTest)
	run(s, "Iladlc", impl, testlapack.IladlcTest)
	run(s, "Iladlr", impl, testlapack.IladlrTest)
}
