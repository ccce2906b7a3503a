// Package protocol keeps the rows and the targets that a method is judged by
// away from the method.
//
// A table of a paper fits methods to training rows and says how well they do on
// other rows. The functions that make the tables get the training rows from here,
// and hand models back to be scored. They never hold a test row or a test target
// as a value, and they cannot read a score: a Score has no value to read, no
// order and no equality; the value appears when the finished row is published.
// So nothing can be chosen by it: no setting, no number of steps, no repeat.
//
//	Split      training rows, and a hidden test part that scores models
//	Pool       rows of which splits and folds are cut; Reserve takes rows for the
//	           choice of settings that are in no test part
//	Partly     rows of semi-supervised learning: all of them, with few classes
//	Clusters   rows to be clustered, with pairs of which the classes are compared
//	Entries    a matrix to be completed, with the entries that are known
//
// What a model gets to predict is a copy in another order, which is made useless
// when the model has answered. A part of it is predicted again in other company:
// a prediction that depends on the rows beside it is an *Error. Rows that are in
// both parts are counted and published with the figure.
//
// Two doors are named for what they are. Rows hands out rows without targets, for
// tables about kernel matrices, where nothing is predicted. Opened hands out rows
// with targets and marks everything that is scored afterwards with the reason:
// some papers learn from all rows.
package protocol
