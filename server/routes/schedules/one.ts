import { z } from 'zod';
import { describeWhatCan } from '../../../client/describe/describe-live';
import type { ScheduleDescription } from '../../../client/describe/schedule-description';
import { readLive } from '../../../client/update/change';
import type { ScheduleOptions } from '../../../core/schedule/options';
import { etagOf } from '../../etag';
import { type Call, operation } from '../../operation';
import { readHeld } from '../../overview/held';
import { ifMatch, matching } from '../../precondition';
import { refuseInvalid } from '../../problems/refuse-invalid';
import { handedOverSchema, scheduleSchema } from '../../schemas/described';
import { flag } from '../../schemas/query';
import { newSchedule, schedulePatch, wholeSchedule } from '../../schemas/schedule';
import { definitionProblems } from './definition-problems';
import { scheduleParams } from './params';
import { patched } from './patch';
import { withUnsent } from './unsent';
import { fromWire, toWire } from './wire';

const ETAG = { etag: 'Its version, for If-Match' };
const force = z.strictObject({
  force: flag.optional().describe('Change it without If-Match, even if others have changed it meanwhile'),
});
const path = '/v1/schedules/{scheduleId}';
const tag = 'schedules';

async function answerOne({ server, caller }: Pick<Call, 'server' | 'caller'>, scheduleId: string, more: object = {}) {
  const context = server.contextOf(caller);
  const description = await describeWhatCan(context, await readLive(context, scheduleId));
  const { nextFireAt, nextActionTimes, handedOver } = description.info;
  const times = new Set([...(nextFireAt ? [nextFireAt] : []), ...nextActionTimes].map(Number));
  // Firings that were already handed over still fire, so nothing holds their times.
  for (const { scheduledAt } of handedOver) times.delete(scheduledAt.getTime());
  const coming = { ...description, times: [...times].map((time) => new Date(time)) };
  const held = await readHeld(context.store, [coming], server.now());
  const info = { ...description.info, heldActionTimes: held.get(scheduleId)!.times };
  return { body: { ...toWire(description), info, ...more }, headers: { etag: etagOf(description) } };
}

type OfOne = Call<{ scheduleId: string }, { force?: boolean | undefined }>;

/**
 * Replaces a schedule's definition, if the precondition of the request holds. `definitionOf` also gets the remaining
 * actions that the sender has read.
 */
async function change(
  call: OfOne,
  definitionOf: (previous: ScheduleDescription, remainingActions: number | undefined) => ScheduleOptions,
) {
  const { scheduleId } = call.params;
  const expected = matching(call);
  const { handedOver } = await call.client
    .getHandle(scheduleId)
    .update((previous) => definitionOf(previous, expected?.(previous)));
  return answerOne(call, scheduleId, { handedOver });
}

const createSchedule = operation({
  method: 'POST',
  path: '/v1/schedules',
  operationId: 'createSchedule',
  tag,
  summary: 'Register a schedule',
  description: 'Until it is deleted or completed, each of its occurrences gets an answer: a firing or a gap.',
  scope: 'write',
  body: newSchedule,
  checksBody: true,
  answers: {
    201: {
      description: 'It is registered',
      schema: scheduleSchema,
      headers: { ...ETAG, location: 'Its address' },
    },
  },
  handle: async (call) => {
    const options = fromWire(call.body);
    refuseInvalid(call.client.check(options));
    await call.client.create(options);
    const { body, headers } = await answerOne(call, options.scheduleId);
    const location = `${call.server.basePath}/v1/schedules/${encodeURIComponent(options.scheduleId)}`;
    return { body, headers: { ...headers, location } };
  },
});

const getSchedule = operation({
  method: 'GET',
  path,
  operationId: 'getSchedule',
  tag,
  summary: 'Describe a schedule',
  scope: 'read',
  params: scheduleParams,
  answers: { 200: { description: 'The schedule', schema: scheduleSchema, headers: ETAG } },
  handle: (call) => answerOne(call, call.params.scheduleId),
});

const updated = {
  description: 'The schedule as it is now, and `handedOver`: firings claimed ahead, which keep the former definition',
  schema: scheduleSchema,
  headers: ETAG,
};

const putSchedule = operation({
  method: 'PUT',
  path,
  operationId: 'replaceSchedule',
  tag,
  summary: 'Replace a schedule’s definition and state',
  description:
    'Fields that are left out get their defaults. Labels (owner, runbook, externalId, memo, search attributes), tenant, namespace, source and shadow mode stay. If the schedule stays paused, the end of its pause stays too. The answer of GET may be sent back unchanged. Needs If-Match, or force=true.',
  scope: 'write',
  params: scheduleParams,
  query: force,
  body: wholeSchedule,
  checksBody: true,
  headers: ifMatch,
  answers: { 200: updated },
  handle: (call) => {
    refuseInvalid(definitionProblems(call.params.scheduleId, fromWire(call.body)));
    return change(call, (previous, remainingActions) => withUnsent(fromWire(call.body), previous, remainingActions));
  },
});

const patchSchedule = operation({
  method: 'PATCH',
  path,
  operationId: 'patchSchedule',
  tag,
  summary: 'Change parts of a schedule',
  description:
    'A JSON merge patch (RFC 7396) of the registered definition: fields that are left out stay, null removes a field. policies.catchupLimit null means no limit. Needs If-Match, or force=true.',
  scope: 'write',
  params: scheduleParams,
  query: force,
  body: schedulePatch,
  headers: ifMatch,
  answers: { 200: updated },
  handle: (call) =>
    change(call, (previous) => {
      const definition = fromWire(patched(previous, call.body));
      refuseInvalid(definitionProblems(call.params.scheduleId, definition));
      return definition;
    }),
});

const deleteSchedule = operation({
  method: 'DELETE',
  path,
  operationId: 'deleteSchedule',
  tag,
  summary: 'Delete a schedule',
  description:
    'Its history stays, running workflows continue, and its tenant may use the ID again. Needs If-Match, or force=true.',
  scope: 'write',
  params: scheduleParams,
  query: force,
  headers: ifMatch,
  answers: { 200: { description: 'It is deleted', schema: handedOverSchema } },
  handle: async (call) => {
    const check = matching(call);
    const expected = check && ((found: ScheduleDescription) => void check(found));
    return { body: await call.client.getHandle(call.params.scheduleId).delete({ expected }) };
  },
});

export const oneScheduleRoutes = [createSchedule, getSchedule, putSchedule, patchSchedule, deleteSchedule];
