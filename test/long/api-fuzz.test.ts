import { it } from 'vitest';
import { useApi } from '../support/api';
import { fuzz } from '../support/fuzz/fuzz';

const api = useApi();

it.each([1, 2, 3, 4])(
  'answers whatever it is asked as its OpenAPI document says, and never fails: seed %i',
  {
    timeout: 300_000,
  },
  async (seed) => {
    await fuzz(api(), { seed, requests: 2_050 });
  },
);
