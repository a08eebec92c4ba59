import type { ClientContext } from '../../client/context';
import { type CheckedSchedule, checkSchedule } from '../../client/register';
import type { ScheduleDefinition } from '../../core/definition/definition';
import { checkEncodedSizes } from '../../core/definition/payload-limits';
import { workflowIdPrefix } from '../../core/identity';
import { MovingProblem } from '../problem';
import type { ImportOptions } from './import-options';
import type { TranslatedSchedule } from './translate';

export type CheckedImport = Omit<CheckedSchedule, 'definition' | 'memo' | 'args'> & {
  definition: ScheduleDefinition;
  args: Uint8Array | undefined;
  memo: TranslatedSchedule['memo'];
};

/**
 * Validate a translated schedule as `create` does, but accept one whose times have all passed. The result has the
 * schedule's encoded values unchanged.
 *
 * @throws {InvalidScheduleError} with the path of a field that this ledger, or this client's tenant, does not allow
 * @throws {MovingProblem} for a workflow ID to which a tenant's name would be added, and for data that cannot be
 *   decoded
 */
export async function checkImported(
  context: ClientContext,
  { options, carried, memo, searchAttributes }: TranslatedSchedule,
  { undecoded = false }: Pick<ImportOptions, 'undecoded'>,
): Promise<CheckedImport> {
  const checked = checkSchedule(context, options, { over: true });
  const { scheduleId } = options;
  refuseOthersIds(scheduleId, checked.tenant, options.action.workflowId);
  const { memo: _memo, ...plain } = checked.definition.action;
  const action = { ...plain, ...carried.action };
  const definition = { ...checked.definition, action };
  checkEncodedSizes({ args: carried.args?.length ?? 0, memo: 0, staticSummary: 0, staticDetails: 0 });
  if (!undecoded) {
    const args = carried.args ? Buffer.from(carried.args) : null;
    try {
      await context.codec.decode({ scheduleId, namespace: definition.namespace, action, args });
      await context.codec.decodeMemo(memo ?? null);
    } catch (error) {
      throw new MovingProblem(
        `its arguments or memo cannot be decoded (${(error as Error).message}); give this client the codec, or import undecoded data (--undecoded)`,
      );
    }
  }
  return { ...checked, definition, args: carried.args, memo, searchAttributes };
}

export function refuseOthersIds(scheduleId: string, tenant: string, given: string | undefined): void {
  const workflowId = workflowIdPrefix(scheduleId, tenant, given);
  if (workflowId === given) return;
  throw new MovingProblem(
    `the workflow IDs of a tenant's schedule end with the tenant's name ('${workflowId}'), so neither side would recognize the other's workflows. Name its workflow ID so in Temporal`,
  );
}
