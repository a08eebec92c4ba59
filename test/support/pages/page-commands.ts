/** The shell and SQL blocks between two headings of a page, in order. */
export function blocksBetween(page: string, from: string, to: string): { language: string; text: string }[] {
  const part = page.slice(page.indexOf(from), page.indexOf(to));
  return [...part.matchAll(/```(sh|sql)\n([\s\S]*?)```/g)].map(([, language, text]) => ({
    language: language!,
    text: text!,
  }));
}

/** The words of a shell line, with its variables. */
export function wordsOf(line: string, variables: Record<string, string>): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, bare]) => {
    if (single !== undefined) return single;
    return (double ?? bare!).replace(/\$(\w+)/g, (_, name) => variables[name]!);
  });
}
