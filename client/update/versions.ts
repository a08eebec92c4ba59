import { legible } from '../../core/definition/legible';
import type { ScheduleSpec } from '../../core/schedule/spec';
import { readVersionsPage, type VersionRow } from '../../store/schedules/versions';
import { differences } from '../apply/differences';
import type { ClientContext } from '../context';
import { type DescribedAction, describeAction } from '../describe/describe-action';
import { readableDefinition } from '../describe/description';
import type { ScheduleSummary } from '../describe/schedule-description';
import { paged } from '../list/paged';
import type { PartlyDecoded, ScheduleCodec } from '../payloads';

/** One immutable definition of a schedule, with who wrote it, when, and what changed. */
export interface ScheduleVersion extends Pick<ScheduleSummary, 'namespace' | 'policies'> {
  /**
   * When the schedule fired under this version: the spec as registered, with instants as Dates and the days of
   * calendars filled in.
   */
  spec: ScheduleSpec;
  /** The number of the version. The first version is 1, unless an erased schedule had this ID. */
  version: number;
  /**
   * The workflow that the schedule started under this version. Its encoded fields are decoded as far as this client
   * can. Durations are in milliseconds.
   */
  action: DescribedAction;
  /** Paths of the fields that differ from the previous version, such as `spec.cron`; empty for the first version. */
  changed: string[];
  /** The `identity` of the client that wrote the version, followed by ` (<source>@<revision>)` if `apply` wrote it. */
  actor: string | undefined;
  /** When the version was written, by the database's clock. */
  createdAt: Date;
}

/** Which versions to read. */
export interface VersionsOptions {
  /** Number of versions per query. @default 200 */
  pageSize?: number;
  /** Only versions with a lower number than this. @default all */
  before?: number;
}

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
  // A version is returned only after the version before it was read, since the comparison needs both.
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

/** Compare the decoded values where possible, since a codec may encode the same value to different bytes each time. */
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
  // If this client cannot decode all values, they are compared by their bytes.
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
