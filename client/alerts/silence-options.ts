import { z } from 'zod';
import { ALERT_CONDITIONS, type AlertCondition } from '../../core/alerts';
import { scheduleId } from '../../core/definition/shape';
import { instant, note, oneOf, tenantOrAll } from '../../core/option-fields';
import type { FieldsOf } from '../../core/options';

/** What is not to be told for a while. */
export interface SilenceOptions {
  /** Of this schedule alone. @default all schedules, and what many of them need */
  scheduleId?: string;
  /** Of this condition alone. @default all */
  condition?: AlertCondition;
  /** When it is told again, if it still holds then. In the future. */
  until: Date;
  /** Why, for those who wonder. 4,000 characters at most. */
  reason: string;
  /** Of one tenant's schedules alone. @default all */
  tenant?: string | undefined;
}

export const silenceOptions = z.strictObject({
  scheduleId: scheduleId.optional(),
  condition: oneOf(ALERT_CONDITIONS).optional(),
  until: instant,
  reason: note.refine((value) => value.trim() !== '', { error: 'is empty: say why' }),
  tenant: tenantOrAll,
} satisfies FieldsOf<SilenceOptions>);
