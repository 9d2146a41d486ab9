package analyze

import "google.golang.org/protobuf/reflect/protoreflect"

// clearLocations zeroes all places in a parse tree, so that trees can be compared.
func clearLocations(m protoreflect.Message) {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.Name() == "location" && fd.Kind() == protoreflect.Int32Kind:
			m.Clear(fd)
		case fd.Message() == nil:
		case fd.IsList():
			for i, list := 0, v.List(); i < list.Len(); i++ {
				clearLocations(list.Get(i).Message())
			}
		default:
			clearLocations(v.Message())
		}
		return true
	})
}
