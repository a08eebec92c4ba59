import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  title: string;
  /** Whether the cell names its row: screen readers then treat it as the row's header. */
  isName?: boolean;
  isNumber?: boolean;
  isWide?: boolean;
  cell: (row: Row) => ComponentChildren;
}

/** A table. On narrow screens each row is shown as lines of `title: value`. */
export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
}: {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
}) {
  return (
    // The wrapper is always focusable, since only the screen size decides whether it scrolls.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section class="table-wrap" aria-label={caption} tabIndex={0}>
      <table class="table stacks">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" class={isNumber ? 'number' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, isName, isNumber, isWide, cell }) =>
                isName ? (
                  <th key={title} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={title} class={isNumber ? 'number' : isWide ? 'wide' : undefined} data-label={title}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
