import { noticeIncarnation } from '../../store/incarnation';
import { leftBehind } from '../../store/meta';
import { isOtherDatabase } from '../../store/postgres-errors';
import { settingsOf } from '../../store/settings';
import { type HeartbeatAnswer, recordHeartbeat, type TriggerIdentity } from '../../store/triggers';
import { statusNameOf } from '../../temporal/errors';
import { DatabaseClock } from '../clock';
import { later, type TriggerContext } from '../context';
import { DefinitionCache } from '../definitions';
import { beginAnew, heldProblems, isAdopted, NOTHING_HELD } from '../recover/adoption';

/** Write this trigger's heartbeat, and set its clock by the database's. A clock that a test injected is not set. */
export async function heartbeat(context: TriggerContext, identity: TriggerIdentity): Promise<void> {
  const { clock, adoption } = context;
  const trigger = { id: context.id, ...identity };
  const sentAt = clock instanceof DatabaseClock ? clock.mark() : undefined;
  const now = sentAt === undefined ? new Date(clock.now()) : undefined;
  const away = context.temporal.away().map(({ name, awaySince, error }) => ({
    namespace: name,
    since: new Date(awaySince!).toISOString(),
    error: error!.message,
    status: statusNameOf(error),
  }));
  const caps = context.caps.full().map(({ forMilliseconds, ...cap }) => ({
    ...cap,
    since: later(clock.now(), -forMilliseconds).toISOString(),
  }));
  const problems = [
    ...context.months.problems(clock.now()),
    ...context.heldUp.problems(clock.now()),
    ...context.hostClock.problems(identity.host),
    ...(context.retention.problem ? [context.retention.problem] : []),
    ...heldProblems(adoption, clock.now()),
  ];
  const hostSentAt = context.hostClock.now();
  const answer = await sendHeartbeat(context, {
    ...{ ...trigger, now, away, caps, problems },
    startCaps: context.caps.all,
  });
  context.hostClock.compare(hostSentAt, answer.now, new Date(clock.now()));
  context.outage.over(new Date(clock.now()), answer);
  context.caps.triggers = answer.alive;
  context.settings = settingsOf(answer.settings);
  const left = leftBehind(context.store, answer.schema);
  if (left) context.onLeftBehind(left);
  sayOtherZoneData(context, identity, answer.otherZoneData);
  if (clock instanceof DatabaseClock) clock.synchronize(sentAt!, answer.now);
  if (answer.adopted) adoption.held = NOTHING_HELD;
  // An operator has declared that the database was replaced, although the database itself does not show that.
  else if (isAdopted(adoption)) await takeNotice(context);
  adoption.adoptedAt = answer.adoptedAt;
  // The time of the answer, and not of its arrival: this process may have stalled while another database was adopted.
  if (answer.adopted) adoption.heardAt = now ?? answer.now;
}

type Heartbeat = Parameters<typeof recordHeartbeat>[1];

/**
 * A heartbeat also fails if noticing the replaced database fails, for example because it is the database of another
 * installation.
 */
async function sendHeartbeat(context: TriggerContext, trigger: Heartbeat) {
  try {
    return await noticeAndRecord(context, trigger);
  } catch (error) {
    context.outage.failed(new Date(context.clock.now()), (error as Error).message);
    throw error;
  }
}

/**
 * A promoted standby may have lost transactions that the primary had committed: the trigger must notice this before it
 * writes anything.
 */
async function noticeAndRecord(context: TriggerContext, trigger: Heartbeat) {
  const { heartbeatStore: store } = context;
  const record = () => recordHeartbeat(store, { ...trigger, expected: store.expected() });
  try {
    return await record();
  } catch (error) {
    if (!isOtherDatabase(error)) throw error;
    await takeNotice(context, context.adoption.heardAt);
    return record();
  }
}

/** @param heardAt when this trigger last worked in another database; undefined if it did not */
async function takeNotice(context: TriggerContext, heardAt?: Date): Promise<void> {
  const { adoption, heartbeatStore: store, clock, logger } = context;
  const { installationId } = context;
  const now = new Date(clock.now());
  const { incarnation, adopted } = await noticeIncarnation(store.unchecked, now, { installationId, heardAt });
  // If nothing is held, passes work in this database from now on.
  adoption.heardAt = adopted ? now : undefined;
  beginAnew(adoption, adopted ? NOTHING_HELD : 'all');
  // The new database may have lost versions of schedules, and may give their numbers to other definitions. A new cache
  // is needed, since a pass in progress would put cleared entries back.
  context.definitions = new DefinitionCache();
  context.leftToOthers = new Map();
  context.ends = context.ends.ofOtherDatabase();
  store.expect(incarnation);
  logger.warn('the database was replaced: a failover?');
  context.onNotice();
}

/**
 * Logs triggers whose time zone data differs, once for each change of their list. A trigger with other time zone data
 * may compute other times, so that an occurrence may fire at two times.
 */
function sayOtherZoneData(
  context: TriggerContext,
  { tz }: TriggerIdentity,
  others: HeartbeatAnswer['otherZoneData'],
): void {
  const text = JSON.stringify(others);
  if (text === context.zoneDataSaid) return;
  context.zoneDataSaid = text;
  if (others.length === 0) return;
  context.logger.warn(
    'triggers have different time zone data, so schedules may fire by old rules of their zone; run all triggers on one version of Node',
    { tz, others },
  );
}
