package serve

import (
	"net/http"

	"github.com/gramworks/gram"
)

// object is a JSON object; encoding/json writes its members in the order of their names.
type object = map[string]any

// openAPI answers GET /openapi.json with a description of all paths (OpenAPI 3.1), in which a row is one of the first
// model.
func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request) {
	m := s.first()
	ref := func(name string) object { return object{"$ref": "#/components/schemas/" + name} }
	content := func(schema object) object { return object{"application/json": object{"schema": schema}} }
	answers := func(schema object) object {
		return object{"200": object{"description": "the answer", "content": content(schema)}, "default": object{"description": "what is wrong", "content": content(ref("Error"))}}
	}
	name := object{"name": "name", "in": "path", "required": true, "schema": object{"type": "string"}, "description": "of a model, see /v1/models"}
	version := object{"name": "version", "in": "path", "required": true, "schema": object{"type": "string"}}
	get := func(summary string, schema object, parameters ...object) object {
		return object{"get": object{"summary": summary, "parameters": append([]object{}, parameters...), "responses": answers(schema)}}
	}
	post := func(summary, requestName, answered string, parameters ...object) object {
		return object{"post": object{"summary": summary, "parameters": append([]object{}, parameters...), "requestBody": object{"required": true, "content": content(ref(requestName))}, "responses": answers(ref(answered))}}
	}
	anything := object{"type": "object"}
	paths := object{
		"/v1/predict":                          post("predict a row or rows", "Request", "Answer"),
		"/v1/model":                            get("columns, classes and limits", anything),
		"/v1/models":                           get("the names and versions of the models", anything),
		"/v1/models/{name}":                    get("columns, classes and limits of a model", anything, name),
		"/v1/models/{name}/predict":            post("predict a row or rows with a model", "Request", "Answer", name),
		"/v2":                                  get("the server (Open Inference Protocol)", anything),
		"/v2/health/live":                      get("whether the process runs", anything),
		"/v2/health/ready":                     get("whether requests are welcome", anything),
		"/livez":                               get("whether the process runs", anything),
		"/readyz":                              get("whether requests are welcome", anything),
		"/metrics":                             object{"get": object{"summary": "counts and times for Prometheus", "responses": object{"200": object{"description": "text"}}}},
		"/v2/models/{name}":                    get("inputs and outputs of a model", anything, name),
		"/v2/models/{name}/ready":              get("whether the model answers", anything, name),
		"/v2/models/{name}/infer":              post("predict tensors", "InferRequest", "InferAnswer", name),
		"/v2/models/{name}/versions/{version}": get("inputs and outputs of a model", anything, name, version),
		"/v2/models/{name}/versions/{version}/ready": get("whether the version answers", anything, name, version),
		"/v2/models/{name}/versions/{version}/infer": post("predict tensors", "InferRequest", "InferAnswer", name, version),
	}
	wishes := object{
		"scores": object{"type": "boolean"}, "probabilities": object{"type": "boolean"}, "unknown": object{"type": "boolean"}, "explain": object{"type": "boolean"},
		"interval": object{"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, "top": object{"type": "integer", "minimum": 1, "maximum": s.limits.Top},
	}
	request := object{"row": ref("Row"), "rows": object{"type": "array", "items": ref("Row"), "maxItems": s.limits.Rows}}
	for key, schema := range wishes {
		request[key] = schema
	}
	tensor := object{"type": "object", "required": []string{"name", "datatype", "shape"}, "properties": object{
		"name": object{"type": "string"}, "datatype": object{"type": "string"}, "shape": object{"type": "array", "items": object{"type": "integer"}}, "parameters": anything, "data": object{"type": "array"}}}
	tensors := object{"type": "array", "items": ref("Tensor")}
	s.answer(w, http.StatusOK, object{
		"openapi": "3.1.0",
		"info":    object{"title": "gram", "version": s.program, "description": m.about()},
		"paths":   paths,
		"components": object{"schemas": object{
			"Row":          m.rowSchema(),
			"Request":      object{"type": "object", "properties": request, "additionalProperties": false, "oneOf": []object{{"required": []string{"row"}}, {"required": []string{"rows"}}}},
			"Prediction":   m.predictionSchema(),
			"Answer":       object{"oneOf": []object{ref("Prediction"), {"type": "object", "required": []string{"predictions"}, "properties": object{"predictions": object{"type": "array", "items": ref("Prediction")}}}}},
			"Error":        object{"type": "object", "required": []string{"error"}, "properties": object{"error": object{"type": "string"}, "row": object{"type": "integer"}, "column": object{"type": "integer"}, "line": object{"type": "integer"}}},
			"Tensor":       tensor,
			"InferRequest": object{"type": "object", "required": []string{"inputs"}, "properties": object{"id": object{"type": "string"}, "parameters": anything, "inputs": tensors, "outputs": object{"type": "array", "items": object{"type": "object", "required": []string{"name"}, "properties": object{"name": object{"type": "string"}, "parameters": anything}}}}},
			"InferAnswer":  object{"type": "object", "required": []string{"model_name", "outputs"}, "properties": object{"model_name": object{"type": "string"}, "model_version": object{"type": "string"}, "id": object{"type": "string"}, "outputs": tensors}},
		}},
	})
}

// rowSchema describes a row: an array, or an object with the names or the numbers of columns.
func (m *served) rowSchema() object {
	number := object{"type": "number"}
	list := object{"type": "array", "minItems": m.model.Dim, "maxItems": m.model.Dim, "description": "the cells in the order of the columns"}
	if !m.columns.named() {
		list["items"] = number
		if m.columns != nil {
			list["items"] = object{}
		}
		return object{"oneOf": []object{list, {"type": "object", "additionalProperties": number, "description": "column numbers from 1; columns that are left out are 0"}}}
	}
	properties, required := object{}, []string{}
	for j, c := range m.columns.schema.Columns {
		cell := object{"type": "number"}
		if m.columns.texts(j) {
			cell = object{"type": "string", "examples": c.Levels[:min(3, len(c.Levels))]}
		}
		if c.Missing {
			cell["type"] = []any{cell["type"], "null"}
		}
		properties[c.Name] = cell
		required = append(required, c.Name)
	}
	return object{"oneOf": []object{list, {"type": "object", "properties": properties, "required": required}}}
}

// predictionSchema returns the JSON schema of the answer to one row, which depends on the kind of the model.
func (m *served) predictionSchema() object {
	numbers := object{"type": "array", "items": object{"type": "number"}}
	properties := object{"unknown": object{"type": "array", "items": object{"type": "integer"}}}
	if m.explainer != nil {
		properties["explanation"] = object{"type": "object", "required": []string{"output", "unit", "mean", "contributions"}, "properties": object{
			"output": object{"type": "string"}, "unit": object{"type": "string", "enum": []string{"score", "probability", "value"}}, "mean": object{"type": "number"},
			"contributions": object{"type": "array", "items": object{"type": "number"}, "minItems": m.model.Dim, "maxItems": m.model.Dim, "description": "of the columns in their order; with the mean they add up to the number that is explained"},
			"exact":         object{"type": "boolean"}}}
	}
	switch m.model.Model.(type) {
	case gram.Classifier:
		class := object{"type": "string", "enum": m.model.Names}
		properties["class"], properties["scores"], properties["probabilities"], properties["set"] = class, numbers, numbers, object{"type": "array", "items": class}
	case gram.Regressor:
		for _, name := range []string{"value", "low", "high"} {
			properties[name] = object{"type": "number"}
		}
	default:
		properties["labels"] = object{"type": "array", "items": object{"type": "object", "properties": object{"label": object{"type": "integer"}, "score": object{"type": "number"}}}}
	}
	return object{"type": "object", "properties": properties}
}
