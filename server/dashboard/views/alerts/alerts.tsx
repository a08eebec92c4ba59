import { useResource } from '../../api/resource';
import type { AlertAnswer } from '../../api/types';
import { PageHead } from '../../parts/panel';
import { Empty, Shown } from '../../parts/state';
import { hrefOf } from '../../router';
import { AlertLine } from './alert-line';

/** The list of alerts. */
export function AlertsView({ query }: { query: URLSearchParams }) {
  const withResolved = query.get('resolved') === 'true';
  const alerts = useResource<{ alerts: AlertAnswer[] }>(`v1/alerts?resolved=${withResolved}`);
  return (
    <>
      <PageHead title="Alerts" sub="Problems that a trigger found and reports to the webhooks">
        <a class="button" href={hrefOf(['alerts'], { resolved: !withResolved })}>
          {withResolved ? 'Only open alerts' : 'Also alerts that are over'}
        </a>
      </PageHead>
      <section class="panel" aria-label="Alerts">
        <Shown of={alerts}>
          {({ alerts: all }) =>
            all.length === 0 ? (
              <Empty>None.</Empty>
            ) : (
              <ul class="list">
                {all.map((alert) => (
                  <li key={alert.alertId}>
                    <AlertLine alert={alert} />
                  </li>
                ))}
              </ul>
            )
          }
        </Shown>
      </section>
    </>
  );
}
