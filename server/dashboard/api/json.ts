/** A type after a trip through JSON: instants are texts, and undefined fields are missing. */
export type Json<Value> = Value extends Date
  ? string
  : Value extends (infer Item)[]
    ? Json<Item>[]
    : Value extends object
      ? { [Key in keyof Value]: Json<Value[Key]> }
      : Value;
