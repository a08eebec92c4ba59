import { readVersionsPage, type VersionRow } from '../store/versions';
import type { ClientContext } from './context';
import { readableDefinition, type ScheduleSummary } from './description';
import { paged } from './paged';

/** One immutable definition of a schedule, and who wrote it. */
export interface ScheduleVersion extends Pick<ScheduleSummary, 'namespace' | 'spec' | 'policies'> {
  version: number;
  action: ScheduleSummary['action'] & { args: unknown[] };
  actor: string | undefined;
  createdAt: Date;
}

/** Versions newest first, also of a schedule that is deleted. */
export async function* versionsOf(
  context: ClientContext,
  scheduleId: string,
  pageSize: number | undefined,
): AsyncGenerator<ScheduleVersion> {
  const rows = paged(pageSize, async (last: VersionRow | undefined, size) => {
    await context.ready();
    return readVersionsPage(context.store, scheduleId, { before: last?.version, size });
  });
  for await (const row of rows) {
    const { action, ...definition } = readableDefinition(row);
    yield {
      version: row.version,
      ...definition,
      action: { ...action, args: await context.codec.decode(row.args) },
      actor: row.actor ?? undefined,
      createdAt: row.createdAt,
    };
  }
}
