import { useResource } from '../../api/resource';
import type { OutcomesOverTime, Overview } from '../../api/types';
import { PageHead } from '../../parts/panel';
import { Shown } from '../../parts/state';
import { AlertsPanel } from './alerts-panel';
import { Charts } from './charts';
import { Coming } from './coming';
import { Facts } from './facts';
import { Fleet } from './fleet';
import { VerdictPanel } from './verdict';

export function OverviewView() {
  const overview = useResource<Overview>('v1/overview');
  const outcomes = useResource<OutcomesOverTime>('v1/overview/outcomes', { every: 15_000 });
  return (
    <>
      <PageHead title="Overview" />
      <Shown of={overview}>
        {(data) => (
          <div class="stack">
            <VerdictPanel verdict={data.verdict} />
            <Facts data={data} />
            <Shown of={outcomes}>{(answer) => <Charts answer={answer} />}</Shown>
            <div class="columns">
              <AlertsPanel alerts={data.alerts} total={data.openAlerts.total} />
              <Coming coming={data.coming} freezes={data.freezes} />
            </div>
            <Fleet data={data} />
          </div>
        )}
      </Shown>
    </>
  );
}
