import fc from 'fast-check';

// The same random cases each time, so that a run fails by what was changed and not by chance. `npm run verify` draws others.
fc.configureGlobal({ seed: Number(process.env.ESCAPEMENT_TEST_SEED ?? 20_261_125) });
