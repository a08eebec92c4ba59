import { useResource } from '../../api/resource';
import type { AlertAnswer } from '../../api/types';
import { PageHead } from '../../parts/panel';
import { Empty, Shown } from '../../parts/state';
import { hrefOf } from '../../router';
import { AlertLine } from './alert-line';

interface AlertsAnswer {
  alerts: AlertAnswer[];
  total: number;
}

const LIMIT = 200;
/** The API's own limit. */
const MOST = 10_000;

const more = (limit: number) => Math.min(limit * 5, MOST);

export function AlertsView({ query }: { query: URLSearchParams }) {
  const withResolved = query.get('resolved') === 'true';
  const limit = Number(query.get('limit') ?? LIMIT);
  const asked = { resolved: String(withResolved), order: withResolved ? 'newest' : 'worst', limit: String(limit) };
  const alerts = useResource<AlertsAnswer>(`v1/alerts?${new URLSearchParams(asked)}`);
  return (
    <>
      <PageHead title="Alerts" sub="Problems that a trigger found and reports to the webhooks">
        <a class="button" href={hrefOf(['alerts'], { resolved: !withResolved })}>
          {withResolved ? 'Only open alerts' : 'Also alerts that are over'}
        </a>
      </PageHead>
      <section class="panel" aria-label="Alerts">
        <Shown of={alerts}>
          {({ alerts: all, total }) =>
            all.length === 0 ? (
              <Empty>None.</Empty>
            ) : (
              <>
                <ul class="list">
                  {all.map((alert) => (
                    <li key={alert.alertId}>
                      <AlertLine alert={alert} />
                    </li>
                  ))}
                </ul>
                {total > all.length ? (
                  <div class="pager">
                    <span class="quiet">
                      {all.length.toLocaleString('en')} shown of {total.toLocaleString('en')},{' '}
                      {withResolved ? 'the newest first' : 'critical ones first'}
                    </span>
                    {limit < MOST ? (
                      <a class="button" href={hrefOf(['alerts'], { resolved: withResolved, limit: more(limit) })}>
                        Show more
                      </a>
                    ) : null}
                  </div>
                ) : null}
              </>
            )
          }
        </Shown>
      </section>
    </>
  );
}
