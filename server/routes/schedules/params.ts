import { z } from 'zod';

/** What names a schedule in an address. */
export const scheduleParams = z.strictObject({ scheduleId: z.string().describe('Name of the schedule') });
