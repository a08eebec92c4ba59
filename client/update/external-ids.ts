import type { Store } from '../../store/connection';
import { codeOf } from '../../store/postgres-errors';
import { findTakenExternalIds, type WantedExternalId } from '../../store/schedules/external-ids';
import { ExternalIdTakenError } from '../errors';
import { detailsOf } from '../outside';

type Wanted = Omit<WantedExternalId, 'externalId'> & { externalId?: string | undefined };

function given(wanted: Wanted[]): WantedExternalId[] {
  return wanted.flatMap((one) => (one.externalId ? [{ ...one, externalId: one.externalId }] : []));
}

/** @throws {ExternalIdTakenError} if another live schedule of the tenant has one of these external IDs */
export async function refuseTaken(store: Store, wanted: Wanted[]): Promise<void> {
  const [taken] = await findTakenExternalIds(store, given(wanted));
  if (taken) throw new ExternalIdTakenError(taken.scheduleId, taken.externalId, taken.takenBy);
}

/**
 * Write schedules and translate the unique violation of the external ID. If two writers want the same ID, the index
 * lets only one of them have it.
 *
 * @throws {ExternalIdTakenError}
 */
export async function unlessTaken<Result>(
  store: Store,
  wanted: Wanted[],
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!isTaken(error)) throw error;
    const found = await detailsOf(store, (outside) => findTakenExternalIds(outside, given(wanted)));
    const taken: Partial<WantedExternalId & { takenBy: string }> = found?.[0] ?? given(wanted)[0] ?? {};
    throw new ExternalIdTakenError(taken.scheduleId ?? '', taken.externalId ?? '', taken.takenBy, { cause: error });
  }
}

function isTaken(error: unknown): boolean {
  return codeOf(error) === '23505' && (error as { constraint?: unknown }).constraint === 'schedules_external_id';
}
