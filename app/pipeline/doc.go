// Package pipeline joins everything that predictions need in one value: the number of
// columns of the data, their scaling, the model with its feature map, and the names of the
// classes. gram fit writes such a value, and gram predict, gram compile and gram serve
// read it. A Go program makes one from any model of this module, or from a model of its
// own:
//
//	m, err := linear.SVM{}.Fit(ctx, phi, x, labels, nil) // phi: a basis.Basis
//	…
//	p, err := pipeline.New(m, columns, nil)
//	…
//	err = pipeline.Save("model.gram", p, registry)
//
// Another program reads, compiles and serves it:
//
//	p, err := pipeline.Load("model.gram", registry)
//	…
//	fast, _, err := p.Compile(ctx, predict.Options{Precision: predict.Float32})
//	…
//	err = serve.New(fast, serve.Config{}).Serve(ctx, listener)
//
// A Registry says how the models in files are read. The Registry of package catalog
// contains all models of this module; a program adds its own kernels, feature maps and
// models. There is no global list: a Registry is passed to Load and to Save, which refuses
// what could not be read again. Selectors of landmarks need no entry, since a model stores
// the chosen landmarks.
package pipeline
