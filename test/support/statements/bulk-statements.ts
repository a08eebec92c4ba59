import { randomUUID } from 'node:crypto';
import { BULK_OPERATION_STATES } from '../../../core/bulk';
import { countChosen, readChosen } from '../../../store/bulk/choice';
import {
  cancelOperation,
  endOperation,
  insertOperation,
  type NewBulkOperation,
  readEarlier,
  readOperation,
  readOperations,
  releaseLease,
  renewLease,
  takeOperation,
} from '../../../store/bulk/operations';
import { readOfOperation, readOne, readQueued, readWaiting, settle } from '../../../store/bulk/schedules';
import type { Store } from '../../../store/connection';
import { findTakenExternalIds } from '../../../store/schedules/external-ids';

/** Send the statements of a bulk change of schedules, and of its undo. */
export async function sendBulkStatements(store: Store, { now, scheduleId }: { now: Date; scheduleId: string }) {
  const choice = { filter: {}, scheduleIds: [scheduleId] };
  await findTakenExternalIds(store, [{ scheduleId, tenant: '', externalId: 'crm-1' }]);
  await countChosen(store, choice);
  await readChosen(store, choice, 20);
  const { operationId, ...asked }: NewBulkOperation = {
    ...{ operationId: randomUUID(), kind: 'pause', undoes: null, tenant: 'acme', actor: 'ops', token: 'ops' },
    ...{ filter: { all: true }, change: { note: 'a release' }, perSecond: 0.5, createdAt: now },
  };
  await insertOperation(store, { operationId, ...asked }, choice);
  await readEarlier(store, {
    operationId: randomUUID(),
    kind: 'pause',
    tenant: null,
    createdAt: new Date(now.getTime() + 1_000),
  });
  await readQueued(store, [operationId], [scheduleId]);
  const server = randomUUID();
  await takeOperation(store, server);
  await takeOperation(store, server, operationId);
  await renewLease(store, operationId, server);
  await releaseLease(store, operationId, server);
  await readWaiting(store, operationId, 20);
  const labels = { owner: null, runbook: null, searchAttributes: null };
  const state = { paused: true, note: null, pausedUntil: null, changedAt: now.toISOString(), labels };
  await settle(store, operationId, { scheduleId, outcome: 'changed', error: 'none', before: state, after: state });
  await readOfOperation(store, operationId, { outcome: undefined, after: undefined, limit: 20 });
  await readOne(store, operationId, scheduleId);
  await endOperation(store, operationId, now);
  const undo = { ...asked, operationId: randomUUID(), undoes: operationId };
  await insertOperation(store, undo, { undoes: operationId });
  await readOperation(store, operationId, undefined);
  await readOperations(store, { tenant: undefined, states: BULK_OPERATION_STATES, limit: 20 });
  await cancelOperation(store, undo.operationId, { actor: 'ops', now });
}
