import { z } from 'zod';
import { text } from '../../schemas/query';

export const scheduleParams = z.strictObject({ scheduleId: text.describe('Name of the schedule') });
