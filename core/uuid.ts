const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID in its usual form. As a value of this type, Postgres refuses most other texts. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
