import { json } from '../../api/request';
import { reloadAll } from '../../api/resource';
import type { AlertAnswer } from '../../api/types';
import { Tag } from '../../parts/state';
import { doing } from '../../parts/toast';
import { hrefOf } from '../../router';
import { Time } from '../../time/time';

export function AlertLine({ alert }: { alert: AlertAnswer }) {
  const { alertId, text, scheduleId, openedAt, acknowledgedAt, acknowledgedBy, resolvedAt, condition } = alert;
  const acknowledge = async () => {
    const path = `v1/alerts/${encodeURIComponent(alertId)}/ack`;
    await doing(() => json(path, { method: 'POST' }), 'The alert is acknowledged: there are no more reminders.');
    reloadAll();
  };
  return (
    <div class="row between alert-line">
      <div class="break">
        <p>{text}</p>
        <p class="quiet">
          {condition.replaceAll('_', ' ')}, since <Time at={openedAt} />
          {scheduleId === null ? null : (
            <>
              {' · '}
              <a href={hrefOf(['schedules', scheduleId])}>{scheduleId}</a>
            </>
          )}
        </p>
      </div>
      {resolvedAt !== null ? (
        <Tag tone="good">
          over <Time at={resolvedAt} />
        </Tag>
      ) : acknowledgedAt === null ? (
        <button type="button" class="button" onClick={acknowledge} aria-label={`Acknowledge: ${text}`}>
          Acknowledge
        </button>
      ) : (
        <Tag tone="run">{acknowledgedBy} knows</Tag>
      )}
    </div>
  );
}
