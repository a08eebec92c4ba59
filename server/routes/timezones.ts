import { z } from 'zod';
import { operation } from '../operation';

const listTimezones = operation({
  method: 'GET',
  path: '/v1/timezones',
  operationId: 'listTimezones',
  tag: 'schedules',
  summary: 'Time zones of this server; specs may name more',
  scope: 'read',
  answers: {
    200: {
      description: 'By the time zone data of this server',
      schema: z.object({ timezones: z.array(z.string()) }).meta({ id: 'Timezones' }),
    },
  },
  handle: () => ({
    body: { timezones: ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')] },
  }),
});

export const timezoneRoutes = [listTimezones];
