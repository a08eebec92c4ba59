import type { Store } from '../store/connection';
import type { TemporalDouble } from './double/temporal-double';
import type { RealTemporal } from './real-temporal';
import type { TriggerSeat } from './trigger-seat';
import type { VirtualClock } from './virtual-clock';

export interface World {
  clock: VirtualClock;
  store: Store;
  seat: TriggerSeat;
  double: TemporalDouble;
  real: RealTemporal | undefined;
  /** Whether no call reaches Temporal at present. */
  isTemporalAway(): boolean;
}

/** Advances the clock, and the time of a real server, without running any pass. */
export async function moveTo({ clock, real }: World, instant: number): Promise<void> {
  if (instant <= clock.now()) return;
  await real?.advanceTo(instant);
  clock.set(instant);
}
