import { PageHead } from '../../parts/panel';
import { hrefOf } from '../../router';
import { Between } from './between';
import { Week } from './week';

export function AheadView({ query }: { query: URLSearchParams }) {
  const isBetween = query.get('tab') === 'between';
  return (
    <>
      <PageHead title="Ahead" sub="Coming firings of live schedules, by their current specs" />
      <div class="stack">
        <nav class="tabs" aria-label="Ahead">
          <a href={hrefOf(['ahead'])} aria-current={isBetween ? undefined : 'page'}>
            The week
          </a>
          <a href={hrefOf(['ahead'], { tab: 'between' })} aria-current={isBetween ? 'page' : undefined}>
            Between two times
          </a>
        </nav>
        {isBetween ? <Between query={query} /> : <Week query={query} />}
      </div>
    </>
  );
}
