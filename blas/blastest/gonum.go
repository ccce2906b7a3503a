package blastest

import (
	"testing"

	"gonum.org/v1/gonum/blas/testblas"
	"gonum.org/v1/gonum/lapack/testlapack"
)

// suite selects the tests of gonum that are run: all of them, or those that quick names.
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

// runGonum runs test as a subtest if it is selected and impl has what it takes.
func runGonum[T any](s suite, name string, impl any, test func(*testing.T, T)) {
	i, ok := impl.(T)
	if ok && (s.full || quick[name]) {
		s.t.Run(name, func(t *testing.T) { test(t, i) })
	}
}

// level1, level2 and level3 are gonum's tests of float64 BLAS.
func level1(s suite, impl any) {
	runGonum(s, "Dasum", impl, testblas.DasumTest)
	runGonum(s, "Daxpy", impl, testblas.DaxpyTest)
	runGonum(s, "Ddot", impl, testblas.DdotTest)
	runGonum(s, "Dnrm2", impl, testblas.Dnrm2Test)
	runGonum(s, "Idamax", impl, testblas.IdamaxTest)
	runGonum(s, "Dswap", impl, testblas.DswapTest)
	runGonum(s, "Dcopy", impl, testblas.DcopyTest)
	runGonum(s, "Drotmg", impl, testblas.DrotmgTest)
	runGonum(s, "Drot", impl, testblas.DrotTest)
	runGonum(s, "Drotm", impl, testblas.DrotmTest)
	runGonum(s, "Dscal", impl, testblas.DscalTest)
	runGonum(s, "Drotg", impl, func(t *testing.T, i testblas.Drotger) { testblas.DrotgTest(t, i, false) })
}

func level2(s suite, impl any) {
	runGonum(s, "Dgemv", impl, testblas.DgemvTest)
	runGonum(s, "Dger", impl, testblas.DgerTest)
	runGonum(s, "Dtxmv", impl, testblas.DtxmvTest)
	runGonum(s, "Dgbmv", impl, testblas.DgbmvTest)
	runGonum(s, "Dtbsv", impl, testblas.DtbsvTest)
	runGonum(s, "Dsbmv", impl, testblas.DsbmvTest)
	runGonum(s, "Dtbmv", impl, testblas.DtbmvTest)
	runGonum(s, "Dtrsv", impl, testblas.DtrsvTest)
	runGonum(s, "Dtrmv", impl, testblas.DtrmvTest)
	runGonum(s, "Dsymv", impl, testblas.DsymvTest)
	runGonum(s, "Dsyr", impl, testblas.DsyrTest)
	runGonum(s, "Dsyr2", impl, testblas.Dsyr2Test)
	runGonum(s, "Dspr2", impl, testblas.Dspr2Test)
	runGonum(s, "Dspr", impl, testblas.DsprTest)
	runGonum(s, "Dspmv", impl, testblas.DspmvTest)
	runGonum(s, "Dtpsv", impl, testblas.DtpsvTest)
	runGonum(s, "Dtpmv", impl, testblas.DtpmvTest)
}

func level3(s suite, impl any) {
	runGonum(s, "Dgemm", impl, testblas.TestDgemm)
	runGonum(s, "Dsymm", impl, testblas.DsymmTest)
	runGonum(s, "Dtrsm", impl, testblas.DtrsmTest)
	runGonum(s, "Dsyrk", impl, testblas.DsyrkTest)
	runGonum(s, "Dsyr2k", impl, testblas.Dsyr2kTest)
	runGonum(s, "Dtrmm", impl, testblas.DtrmmTest)
}

// lapackAll is gonum's test of LAPACK, as far as impl has the routines.
func lapackAll(s suite, impl any) {
	lapackGeneral(s, impl)
	lapackAuxiliary(s, impl)
	lapackOrthogonal(s, impl)
	lapackDefinite(s, impl)
	lapackTriangular(s, impl)
	runGonum(s, "Dgesvd", impl, func(t *testing.T, i testlapack.Dgesvder) { testlapack.DgesvdTest(t, i, 1e-12) })
}

// lapackGeneral tests the routines of matrices without a structure, and what they reduce to.
func lapackGeneral(s suite, impl any) {
	runGonum(s, "Dbdsqr", impl, testlapack.DbdsqrTest)
	runGonum(s, "Dhseqr", impl, testlapack.DhseqrTest)
	runGonum(s, "Dgebak", impl, testlapack.DgebakTest)
	runGonum(s, "Dgebal", impl, testlapack.DgebalTest)
	runGonum(s, "Dgebd2", impl, testlapack.Dgebd2Test)
	runGonum(s, "Dgebrd", impl, testlapack.DgebrdTest)
	runGonum(s, "Dgecon", impl, testlapack.DgeconTest)
	runGonum(s, "Dgeev", impl, testlapack.DgeevTest)
	runGonum(s, "Dgehd2", impl, testlapack.Dgehd2Test)
	runGonum(s, "Dgehrd", impl, testlapack.DgehrdTest)
	runGonum(s, "Dgelqf", impl, testlapack.DgelqfTest)
	runGonum(s, "Dgelq2", impl, testlapack.Dgelq2Test)
	runGonum(s, "Dgeql2", impl, testlapack.Dgeql2Test)
	runGonum(s, "Dgels", impl, testlapack.DgelsTest)
	runGonum(s, "Dgerq2", impl, testlapack.Dgerq2Test)
	runGonum(s, "Dgesc2", impl, testlapack.Dgesc2Test)
	runGonum(s, "Dgeqp3", impl, testlapack.Dgeqp3Test)
	runGonum(s, "Dgeqr2", impl, testlapack.Dgeqr2Test)
	runGonum(s, "Dgeqrf", impl, testlapack.DgeqrfTest)
	runGonum(s, "Dgerqf", impl, testlapack.DgerqfTest)
	runGonum(s, "Dgesv", impl, testlapack.DgesvTest)
	runGonum(s, "Dgetc2", impl, testlapack.Dgetc2Test)
	runGonum(s, "Dgetri", impl, testlapack.DgetriTest)
	runGonum(s, "Dgetf2", impl, testlapack.Dgetf2Test)
	runGonum(s, "Dgetrf", impl, testlapack.DgetrfTest)
	runGonum(s, "Dgetrs", impl, testlapack.DgetrsTest)
	runGonum(s, "Dgghrd", impl, testlapack.DgghrdTest)
	runGonum(s, "Dggsvd3", impl, testlapack.Dggsvd3Test)
	runGonum(s, "Dggsvp3", impl, testlapack.Dggsvp3Test)
	runGonum(s, "Dgtsv", impl, testlapack.DgtsvTest)
}

// lapackAuxiliary tests the routines that others are made of.
func lapackAuxiliary(s suite, impl any) {
	runGonum(s, "Dlabrd", impl, testlapack.DlabrdTest)
	runGonum(s, "Dlacn2", impl, testlapack.Dlacn2Test)
	runGonum(s, "Dlacpy", impl, testlapack.DlacpyTest)
	runGonum(s, "Dlae2", impl, testlapack.Dlae2Test)
	runGonum(s, "Dlaev2", impl, testlapack.Dlaev2Test)
	runGonum(s, "Dlaexc", impl, testlapack.DlaexcTest)
	runGonum(s, "Dlag2", impl, testlapack.Dlag2Test)
	runGonum(s, "Dlags2", impl, testlapack.Dlags2Test)
	runGonum(s, "Dlagtm", impl, testlapack.DlagtmTest)
	runGonum(s, "Dlahqr", impl, testlapack.DlahqrTest)
	runGonum(s, "Dlahr2", impl, testlapack.Dlahr2Test)
	runGonum(s, "Dlaln2", impl, testlapack.Dlaln2Test)
	runGonum(s, "Dlangb", impl, testlapack.DlangbTest)
	runGonum(s, "Dlange", impl, testlapack.DlangeTest)
	runGonum(s, "Dlangt", impl, testlapack.DlangtTest)
	runGonum(s, "Dlanhs", impl, testlapack.DlanhsTest)
	runGonum(s, "Dlapy2", impl, testlapack.Dlapy2Test)
	runGonum(s, "Dlapll", impl, testlapack.DlapllTest)
	runGonum(s, "Dlapmr", impl, testlapack.DlapmrTest)
	runGonum(s, "Dlapmt", impl, testlapack.DlapmtTest)
	runGonum(s, "Dlas2", impl, testlapack.Dlas2Test)
	runGonum(s, "Dlascl", impl, testlapack.DlasclTest)
	runGonum(s, "Dlaset", impl, testlapack.DlasetTest)
	runGonum(s, "Dlasrt", impl, testlapack.DlasrtTest)
	runGonum(s, "Dlassq", impl, testlapack.DlassqTest)
	runGonum(s, "Dlaswp", impl, testlapack.DlaswpTest)
	runGonum(s, "Dlasy2", impl, testlapack.Dlasy2Test)
	runGonum(s, "Dlansb", impl, testlapack.DlansbTest)
	runGonum(s, "Dlanst", impl, testlapack.DlanstTest)
	runGonum(s, "Dlansy", impl, testlapack.DlansyTest)
	runGonum(s, "Dlantb", impl, testlapack.DlantbTest)
	runGonum(s, "Dlantr", impl, testlapack.DlantrTest)
	runGonum(s, "Dlanv2", impl, testlapack.Dlanv2Test)
	runGonum(s, "Dlaqr04", impl, testlapack.Dlaqr04Test)
	runGonum(s, "Dlaqp2", impl, testlapack.Dlaqp2Test)
	runGonum(s, "Dlaqps", impl, testlapack.DlaqpsTest)
	runGonum(s, "Dlaqr1", impl, testlapack.Dlaqr1Test)
	runGonum(s, "Dlaqr23", impl, testlapack.Dlaqr23Test)
	runGonum(s, "Dlaqr5", impl, testlapack.Dlaqr5Test)
	runGonum(s, "Dlarf", impl, testlapack.DlarfTest)
	runGonum(s, "Dlarfb", impl, testlapack.DlarfbTest)
	runGonum(s, "Dlarfg", impl, testlapack.DlarfgTest)
	runGonum(s, "Dlarft", impl, testlapack.DlarftTest)
	runGonum(s, "Dlarfx", impl, testlapack.DlarfxTest)
	runGonum(s, "Dlartg", impl, testlapack.DlartgTest)
	runGonum(s, "Dlasq1", impl, testlapack.Dlasq1Test)
	runGonum(s, "Dlasq2", impl, testlapack.Dlasq2Test)
	runGonum(s, "Dlasr", impl, testlapack.DlasrTest)
	runGonum(s, "Dlasv2", impl, testlapack.Dlasv2Test)
	runGonum(s, "Dlatbs", impl, testlapack.DlatbsTest)
	runGonum(s, "Dlatrd", impl, testlapack.DlatrdTest)
	runGonum(s, "Dlatrs", impl, testlapack.DlatrsTest)
	runGonum(s, "Dlauu2", impl, testlapack.Dlauu2Test)
	runGonum(s, "Dlauum", impl, testlapack.DlauumTest)
}

// lapackOrthogonal tests the routines of products of reflections.
func lapackOrthogonal(s suite, impl any) {
	runGonum(s, "Dorg2r", impl, testlapack.Dorg2rTest)
	runGonum(s, "Dorgbr", impl, testlapack.DorgbrTest)
	runGonum(s, "Dorghr", impl, testlapack.DorghrTest)
	runGonum(s, "Dorg2l", impl, testlapack.Dorg2lTest)
	runGonum(s, "Dorgl2", impl, testlapack.Dorgl2Test)
	runGonum(s, "Dorglq", impl, testlapack.DorglqTest)
	runGonum(s, "Dorgql", impl, testlapack.DorgqlTest)
	runGonum(s, "Dorgqr", impl, testlapack.DorgqrTest)
	runGonum(s, "Dorgr2", impl, testlapack.Dorgr2Test)
	runGonum(s, "Dorgtr", impl, testlapack.DorgtrTest)
	runGonum(s, "Dormbr", impl, testlapack.DormbrTest)
	runGonum(s, "Dormhr", impl, testlapack.DormhrTest)
	runGonum(s, "Dorml2", impl, testlapack.Dorml2Test)
	runGonum(s, "Dormlq", impl, testlapack.DormlqTest)
	runGonum(s, "Dormqr", impl, testlapack.DormqrTest)
	runGonum(s, "Dormr2", impl, testlapack.Dormr2Test)
	runGonum(s, "Dorm2r", impl, testlapack.Dorm2rTest)
}

// lapackDefinite tests the routines of symmetric positive definite matrices.
func lapackDefinite(s suite, impl any) {
	runGonum(s, "Dpbcon", impl, testlapack.DpbconTest)
	runGonum(s, "Dpbtf2", impl, testlapack.Dpbtf2Test)
	runGonum(s, "Dpbtrf", impl, testlapack.DpbtrfTest)
	runGonum(s, "Dpbtrs", impl, testlapack.DpbtrsTest)
	runGonum(s, "Dpocon", impl, testlapack.DpoconTest)
	runGonum(s, "Dpotf2", impl, testlapack.Dpotf2Test)
	runGonum(s, "Dpotrf", impl, testlapack.DpotrfTest)
	runGonum(s, "Dpotri", impl, testlapack.DpotriTest)
	runGonum(s, "Dpotrs", impl, testlapack.DpotrsTest)
	runGonum(s, "Dpstf2", impl, testlapack.Dpstf2Test)
	runGonum(s, "Dpstrf", impl, testlapack.DpstrfTest)
	runGonum(s, "Dpttrf", impl, testlapack.DpttrfTest)
	runGonum(s, "Dpttrs", impl, testlapack.DpttrsTest)
	runGonum(s, "Dptsv", impl, testlapack.DptsvTest)
	runGonum(s, "Dptcon", impl, testlapack.DptconTest)
}

// lapackTriangular tests the routines of triangular matrices, and of symmetric ones that need not be definite.
func lapackTriangular(s suite, impl any) {
	runGonum(s, "Drscl", impl, testlapack.DrsclTest)
	runGonum(s, "Dsteqr", impl, testlapack.DsteqrTest)
	runGonum(s, "Dsterf", impl, testlapack.DsterfTest)
	runGonum(s, "Dsyev", impl, testlapack.DsyevTest)
	runGonum(s, "Dsytd2", impl, testlapack.Dsytd2Test)
	runGonum(s, "Dsytrd", impl, testlapack.DsytrdTest)
	runGonum(s, "Dtgsja", impl, testlapack.DtgsjaTest)
	runGonum(s, "Dtbtrs", impl, testlapack.DtbtrsTest)
	runGonum(s, "Dtrcon", impl, testlapack.DtrconTest)
	runGonum(s, "Dtrevc3", impl, testlapack.Dtrevc3Test)
	runGonum(s, "Dtrexc", impl, testlapack.DtrexcTest)
	runGonum(s, "Dtrti2", impl, testlapack.Dtrti2Test)
	runGonum(s, "Dtrtri", impl, testlapack.DtrtriTest)
	runGonum(s, "Dtrtrs", impl, testlapack.DtrtrsTest)
	runGonum(s, "Iladlc", impl, testlapack.IladlcTest)
	runGonum(s, "Iladlr", impl, testlapack.IladlrTest)
}
