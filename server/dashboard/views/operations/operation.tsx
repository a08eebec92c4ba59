import { useState } from 'preact/hooks';
import { counted } from '../../../../core/counted';
import { type Operation, operationPath, stopOperation } from '../../api/bulk';
import { useResource } from '../../api/resource';
import { Dialog } from '../../parts/dialog';
import { PageHead, Panel } from '../../parts/panel';
import { Shown } from '../../parts/state';
import { Table } from '../../parts/table';
import { go, hrefOf } from '../../router';
import { BothTimes } from '../../time/time';
import { aboutInWords, kindInWords, StateTag, valueInWords, WAITS } from './operation-words';

/** Interval between reads while the operation runs, since no events cover it. */
const EVERY_MILLISECONDS = 1_000;

export function OperationView({ operationId }: { operationId: string }) {
  const [isRunning, setIsRunning] = useState(true);
  const path = operationPath(operationId);
  const operation = useResource<Operation>(path, isRunning ? { every: EVERY_MILLISECONDS, isUntold: true } : {});
  const running = operation.data?.state !== 'done' && operation.data?.state !== 'cancelled';
  if (running !== isRunning) setIsRunning(running);
  return (
    <>
      <PageHead
        title={
          operation.data
            ? `${kindInWords(operation.data)}: ${counted(operation.data.total, 'schedule')}`
            : 'A change of many'
        }
        sub={<a href={hrefOf(['operations'])}>Changes of many</a>}
      >
        {operation.data ? <Actions operation={operation.data} onChange={operation.reload} /> : null}
      </PageHead>
      <Shown of={operation}>{(data) => <Progress operation={data} />}</Shown>
    </>
  );
}

function Actions({ operation, onChange }: { operation: Operation; onChange: () => void }) {
  // If the operation ends meanwhile, an open dialog to cancel it must not become the one that undoes it.
  const [open, setOpen] = useState<'cancel' | 'undo'>();
  const { operationId, kind, state, undoes, undoneBy, changed } = operation;
  const canBeUndone = kind !== 'trigger' && undoes === null;
  if (state === 'running') {
    return (
      <>
        <button type="button" class="button danger" onClick={() => setOpen('cancel')}>
          Cancel the rest …
        </button>
        {open === 'cancel' ? (
          <Dialog
            title="Leave the rest as it is?"
            action="Cancel the rest"
            danger
            onClose={() => setOpen(undefined)}
            onConfirm={async () => {
              await stopOperation(operationId, 'cancel');
              onChange();
            }}
          >
            <p>Schedules already changed stay changed{canBeUndone ? '; this can be undone' : ''}.</p>
          </Dialog>
        ) : null}
      </>
    );
  }
  if (!canBeUndone || undoneBy !== null || changed === 0) return null;
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen('undo')}>
        Undo …
      </button>
      {open === 'undo' ? (
        <Dialog
          title={`Undo it for ${counted(changed, 'schedule')}?`}
          action="Undo"
          onClose={() => setOpen(undefined)}
          onConfirm={async () => {
            const { operationId: undo } = await stopOperation(operationId, 'undo');
            go(hrefOf(['operations', undo]));
          }}
        >
          <p>Each schedule gets its former state back, unless somebody has changed it since.</p>
        </Dialog>
      ) : null}
    </>
  );
}

function Progress({ operation }: { operation: Operation }) {
  const { total, changed, unchanged, failed, left, filter, change, actor, createdAt, endedAt } = operation;
  const { waitsFor, cancelledBy, undoes, undoneBy, errors = [] } = operation;
  return (
    <div class="stack">
      <Panel title="Progress" aside={<StateTag operation={operation} />}>
        <div class="stack">
          <progress class="progress" aria-label="Schedules done" max={Math.max(total, 1)} value={total - left} />
          <p role="status">
            <strong>
              {(total - left).toLocaleString('en')} of {total.toLocaleString('en')}
            </strong>
            {`: ${changed.toLocaleString('en')} changed, ${unchanged.toLocaleString('en')} as they were, ${failed.toLocaleString('en')} failed.`}
          </p>
          <dl class="pairs">
            {waitsFor ? (
              <>
                <dt>Waits for</dt>
                <dd>{WAITS[waitsFor]}</dd>
              </>
            ) : null}
            <dt>Which</dt>
            <dd class="break">{aboutInWords(filter)}</dd>
            {Object.entries(change).map(([name, value]) => [
              <dt key={name}>{name}</dt>,
              <dd key={`${name} value`} class="break">
                {valueInWords(value)}
              </dd>,
            ])}
            <dt>Asked for</dt>
            <dd>
              by <strong>{actor}</strong>, <BothTimes at={createdAt} />
            </dd>
            {endedAt ? (
              <>
                <dt>{cancelledBy ? 'Cancelled' : 'Ended'}</dt>
                <dd>
                  {cancelledBy ? `by ${cancelledBy}, ` : ''}
                  <BothTimes at={endedAt} />
                </dd>
              </>
            ) : null}
            {undoes ? (
              <>
                <dt>Undoes</dt>
                <dd>
                  <a href={hrefOf(['operations', undoes])}>this change</a>
                </dd>
              </>
            ) : null}
            {undoneBy ? (
              <>
                <dt>Undone</dt>
                <dd>
                  <a href={hrefOf(['operations', undoneBy])}>by this one</a>
                </dd>
              </>
            ) : null}
          </dl>
        </div>
      </Panel>
      {errors.length === 0 ? null : (
        <Panel title="What failed" flush>
          <Table
            caption="Schedules that were not changed, and why"
            keyOf={({ scheduleId }) => scheduleId}
            rows={errors}
            columns={[
              {
                title: 'Schedule',
                isName: true,
                cell: ({ scheduleId }) => <a href={hrefOf(['schedules', scheduleId])}>{scheduleId}</a>,
              },
              { title: 'Why', isWide: true, cell: ({ error }) => error },
            ]}
          />
        </Panel>
      )}
    </div>
  );
}
