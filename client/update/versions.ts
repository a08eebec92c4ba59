import type { ScheduleSpec } from '../../core/schedule';
import { readVersionsPage, type VersionRow } from '../../store/schedules/versions';
import { differences } from '../apply/differences';
import type { ClientContext } from '../context';
import { type DescribedAction, describeAction } from '../describe/describe-action';
import { readableDefinition } from '../describe/description';
import { legible } from '../describe/legible';
import type { ScheduleSummary } from '../describe/schedule-description';
import { paged } from '../list/paged';
import type { PartlyDecoded, ScheduleCodec } from '../payloads';

/** One immutable definition of a schedule: who wrote it, when, and what they changed. */
export interface ScheduleVersion extends Pick<ScheduleSummary, 'namespace' | 'policies'> {
  /** When it fired, word for word as it was registered, with every instant as a Date. */
  spec: ScheduleSpec;
  /** 1 for the first. */
  version: number;
  /** The workflow that it starts, with what was encoded of it decoded; durations in milliseconds. */
  action: DescribedAction;
  /** Paths of the fields that differ from the version before, such as `spec.cron`; empty for the first. */
  changed: string[];
  /** The `identity` of the client that wrote it. */
  actor: string | undefined;
  /** When it was written, by the database's clock. */
  createdAt: Date;
}

/** Which versions to read. */
export interface VersionsOptions {
  /** Versions that are read at once. @default 200 */
  pageSize?: number;
  /** Only those before this one. @default all */
  before?: number;
}

/** Versions newest first, also of a schedule that is deleted. */
export async function* versionsOf(
  context: ClientContext,
  scheduleId: string,
  { pageSize, before }: VersionsOptions,
): AsyncGenerator<ScheduleVersion> {
  const rows = paged(pageSize, async (last: VersionRow | undefined, size) => {
    await context.ready();
    return readVersionsPage(context.store, scheduleId, {
      tenant: context.tenant,
      before: last?.version ?? before,
      size,
    });
  });
  // Each waits for the one before it, which says what it changed.
  let newer: VersionRow | undefined;
  for await (const row of rows) {
    const read = legible(row);
    if (newer) yield readable(context, scheduleId, newer, read);
    newer = read;
  }
  if (newer) yield readable(context, scheduleId, newer, undefined);
}

async function readable(
  { codec }: ClientContext,
  scheduleId: string,
  row: VersionRow,
  older: VersionRow | undefined,
): Promise<ScheduleVersion> {
  const decoded = await codec.decodeWhatCan({ scheduleId, ...row });
  return {
    version: row.version,
    ...readableDefinition(row),
    action: describeAction(row.action, decoded),
    changed: older ? await changedSince(codec, { scheduleId, ...older }, { row, decoded }) : [],
    actor: row.actor ?? undefined,
    createdAt: row.createdAt,
  };
}

/** A codec may encode the same values to other bytes each time: what they decode to is compared, where it can be. */
async function changedSince(
  codec: ScheduleCodec,
  older: VersionRow & { scheduleId: string },
  { row, decoded }: { row: VersionRow; decoded: PartlyDecoded },
): Promise<string[]> {
  const [former, now] = [comparable(older), comparable(row)];
  const changed = differences(former, now);
  if (changed.length === 0) return changed;
  const { argsError, memoError, textsError } = decoded;
  const isDecoded = [argsError, memoError, textsError].every((error) => error === undefined);
  // Bytes that nobody here can decode are compared as they are.
  const formerly = await codec.decode(older).catch(() => undefined);
  if (!formerly || !isDecoded) return changed;
  return differences(
    { ...former, action: { ...former.action, ...formerly } },
    { ...now, action: { ...now.action, ...decoded } },
  );
}

function comparable({ namespace, spec, action, args, policies }: VersionRow) {
  return { namespace, spec, action: { ...action, args: args?.toString('base64') }, policies };
}
