import type { AlertAnswer } from '../../api/types';
import { Panel } from '../../parts/panel';
import { Empty } from '../../parts/state';
import { hrefOf } from '../../router';
import { AlertLine } from '../alerts/alert-line';

const SHOWN = 6;

export function AlertsPanel({ alerts, total }: { alerts: AlertAnswer[]; total: number }) {
  const rest = total - SHOWN;
  return (
    <Panel title={`Open alerts${total > 0 ? ` (${total.toLocaleString('en')})` : ''}`} flush>
      {alerts.length === 0 ? (
        <Empty>None.</Empty>
      ) : (
        <ul class="list">
          {alerts.slice(0, SHOWN).map((alert) => (
            <li key={alert.alertId}>
              <AlertLine alert={alert} />
            </li>
          ))}
          {rest > 0 ? (
            <li>
              <a href={hrefOf(['alerts'])}>{rest.toLocaleString('en')} more</a>
            </li>
          ) : null}
        </ul>
      )}
    </Panel>
  );
}
