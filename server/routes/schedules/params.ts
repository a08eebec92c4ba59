import { z } from 'zod';

/** Path parameters that name a schedule. */
export const scheduleParams = z.strictObject({ scheduleId: z.string().describe('Name of the schedule') });
