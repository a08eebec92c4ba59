import { z } from 'zod';

export const scheduleParams = z.strictObject({ scheduleId: z.string().describe('Name of the schedule') });
