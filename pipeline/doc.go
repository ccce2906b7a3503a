// Package pipeline makes one value of what it takes to predict: the columns of the data,
// their scaling, the model with its feature map, and the names of the classes. It is what
// gram fit writes, and what gram predict, gram compile and gram serve read; a Go program
// makes it of any model of this module, or of its own:
//
//	m, err := linear.SVM{}.Fit(ctx, phi, x, labels, nil) // phi: a basis.Basis
//	…
//	p, err := pipeline.New(m, columns, nil)
//	…
//	err = pipeline.Save("model.gram", p, registry)
//
// and reads, compiles and serves it in another one:
//
//	p, err := pipeline.Load("model.gram", registry)
//	…
//	fast, _, err := p.Compile(ctx, predict.Options{Precision: predict.Float32})
//	…
//	err = serve.New(fast, serve.Config{}).Serve(ctx, listener)
//
// A Registry says how the models of files are read. That of package catalog has all of
// this module; to it a program adds the kernels, feature maps and models that are its own.
// There is no global list: a Registry is passed to Save, which refuses what nobody could
// read again, and to Load. Selectors of landmarks need no entry, for a model holds the
// landmarks that were chosen.
package pipeline
