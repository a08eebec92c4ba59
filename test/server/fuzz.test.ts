import { it } from 'vitest';
import { useApi } from '../support/api';
import { fuzz } from '../support/fuzz/fuzz';

const api = useApi();

it('answers whatever it is asked as its OpenAPI document says, and never fails; test/long/api-fuzz.test.ts asks more', async () => {
  await fuzz(api(), { seed: 31, requests: 200 });
});
