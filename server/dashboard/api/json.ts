/**
 * The type that a value has after it was converted to JSON and back: instants are texts, and undefined fields are
 * missing.
 */
export type Json<Value> = Value extends Date
  ? string
  : Value extends (infer Item)[]
    ? Json<Item>[]
    : Value extends object
      ? { [Key in keyof Value]: Json<Value[Key]> }
      : Value;
