import { it } from 'vitest';
import { playOnServer } from './on-server';

/** The same ones each time; a long scene plays others. */
const TRACES = { traces: 12, seed: 3 };

it('plays the same traces on a real server, whose answers are the double’s', async () => {
  await playOnServer(TRACES);
}, 1_200_000);
