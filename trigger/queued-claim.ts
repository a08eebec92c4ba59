import type { FiringKey, FiringKind } from '../core/firing';

/** A claim that is to be started. */
export interface QueuedClaim extends FiringKey {
  namespace: string;
  taskQueue: string;
  tenant: string;
  kind: FiringKind;
  /** When its workflow may begin, where that is still ahead. */
  startsAt: Date | null;
  /** When it was to start, with its jitter. @default its scheduled time */
  dueAt?: Date;
  /** Milliseconds after the first call for which it may be called again; undefined where nobody is known to have called it. */
  rememberedFor?: number | undefined;
}
