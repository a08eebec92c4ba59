import { useResource } from '../../api/resource';
import type { FiringAnswer, LifeAnswer, SessionAnswer } from '../../api/types';
import { Panel } from '../../parts/panel';
import { KINDS } from '../../parts/words';
import { hrefOf } from '../../router';

export function FiringFacts({
  scheduleId,
  firing,
  life,
}: {
  scheduleId: string;
  firing: FiringAnswer;
  life: LifeAnswer['life'];
}) {
  const session = useResource<SessionAnswer>('v1/session', { every: 3_600_000 });
  const { workflowId, runId, namespace, kind, actor, scheduleVersion } = firing;
  const url = workflowId === null ? undefined : workflowUrl(session.data?.temporalUi, { namespace, workflowId, runId });
  return (
    <Panel
      title="Its workflow"
      aside={
        url === undefined ? undefined : (
          <a href={url} rel="noreferrer noopener" target="_blank">
            Open in Temporal
          </a>
        )
      }
    >
      <dl class="pairs">
        <dt>Workflow ID</dt>
        <dd class="mono">{workflowId ?? 'none'}</dd>
        {runId === null ? null : (
          <>
            <dt>First run</dt>
            <dd class="mono">{runId}</dd>
          </>
        )}
        <dt>Namespace</dt>
        <dd>{namespace}</dd>
        {life?.taskQueue ? (
          <>
            <dt>Task queue</dt>
            <dd>{life.taskQueue}</dd>
          </>
        ) : null}
        <dt>Fired</dt>
        <dd>
          {KINDS[kind] ?? kind}
          {actor ? `, asked for by ${actor}` : ''}
        </dd>
        <dt>Definition</dt>
        <dd>
          <a href={hrefOf(['schedules', scheduleId], { tab: 'versions', version: scheduleVersion })}>
            version {scheduleVersion}
          </a>
        </dd>
        {life && life.epoch > 0 ? (
          <>
            <dt>Restarted</dt>
            <dd>{life.epoch === 1 ? 'once' : `${life.epoch} times`}</dd>
          </>
        ) : null}
      </dl>
    </Panel>
  );
}

function workflowUrl(
  base: string | undefined,
  { namespace, workflowId, runId }: { namespace: string; workflowId: string; runId: string | null },
): string | undefined {
  if (base === undefined) return undefined;
  const path = ['namespaces', namespace, 'workflows', workflowId, ...(runId === null ? [] : [runId, 'history'])];
  return `${base.replace(/\/$/, '')}/${path.map(encodeURIComponent).join('/')}`;
}
