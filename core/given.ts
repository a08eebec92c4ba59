/** Fields of which those that may be undefined may be left out instead. */
export type Given<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name];
} & { [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined> };

/** Without what is undefined, so that it takes nothing's place. */
export function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;
}

/** {@link given}, or undefined where nothing is. */
export function givenOrNone<Fields extends object>(fields: Fields): Given<Fields> | undefined {
  const some = given(fields);
  return Object.keys(some).length === 0 ? undefined : some;
}
