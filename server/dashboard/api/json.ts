/** A type as JSON brings it: instants are texts, and what is undefined is left out. */
export type Json<Value> = Value extends Date
  ? string
  : Value extends (infer Item)[]
    ? Json<Item>[]
    : Value extends object
      ? { [Key in keyof Value]: Json<Value[Key]> }
      : Value;
