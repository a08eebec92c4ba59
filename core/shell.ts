/** Characters that a POSIX shell does not treat specially. */
const PLAIN = /^[\w.:@%+,/-]+$/;

/**
 * A text as one argument of a command that a person copies into a shell. Names may contain any character, also those of
 * a tenant. Put `--` before a name that may begin with a dash.
 */
export function inShell(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
