import { orMore } from '../../../core/counted';
import { hrefOf } from '../router';

/** Links between pages. Each page has its own address, so the browser's Back button goes to the previous page. */
export function Pager({
  path,
  query,
  nextCursor,
  shown,
  total,
  isCut = false,
}: {
  path: string[];
  query: URLSearchParams;
  nextCursor: string | undefined;
  shown: number;
  total?: number | undefined;
  /** Whether there may be more than `total`. */
  isCut?: boolean | undefined;
}) {
  const given = Object.fromEntries([...query].map(([name, value]) => [name, value || null]));
  const isFirst = !query.has('cursor');
  if (isFirst && nextCursor === undefined && total === undefined) {
    return shown === 0 ? null : <div class="pager quiet">{shown.toLocaleString('en')} in all</div>;
  }
  return (
    <nav class="pager" aria-label="Pages of the list">
      <span class="quiet">
        {shown.toLocaleString('en')} shown{total === undefined ? '' : ` of ${orMore(total, isCut)}`}
      </span>
      {isFirst ? null : (
        <>
          <a class="button" href={hrefOf(path, { ...given, cursor: undefined })}>
            First page
          </a>
          <button type="button" class="button" onClick={() => history.back()}>
            Back
          </button>
        </>
      )}
      {nextCursor === undefined ? null : (
        <a class="button" href={hrefOf(path, { ...given, cursor: nextCursor })}>
          Next page
        </a>
      )}
    </nav>
  );
}
