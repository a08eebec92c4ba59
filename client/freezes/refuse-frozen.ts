import type { Store } from '../../store/connection';
import { readFreezeAt } from '../../store/freezes/matching';
import type { ClientContext } from '../context';
import { ledgerNow } from '../update/change';
import { asSeen, ScheduleFrozenError } from './errors';

export interface DuringFreezeOptions {
  /** Fire even if a freeze holds the schedule. @default false: throws `ScheduleFrozenError` */
  duringFreeze?: boolean | undefined;
}

/** @throws {ScheduleFrozenError} if a freeze holds the schedule and `duringFreeze` is not set */
export async function refuseFrozen(
  context: ClientContext,
  store: Store,
  scheduleId: string,
  { duringFreeze = false }: DuringFreezeOptions,
): Promise<void> {
  if (duringFreeze) return;
  const now = await ledgerNow({ now: context.now, store });
  const freeze = await readFreezeAt(store, scheduleId, now);
  if (!freeze) return;
  const { freezeId, to, note } = asSeen(freeze, context.tenant);
  throw new ScheduleFrozenError(scheduleId, freezeId, to, note);
}
