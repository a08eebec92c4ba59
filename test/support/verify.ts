/** Whether `npm run verify` runs the tests, or somebody who repeats one of its failures: more random cases than else. */
export const IN_VERIFY = process.env.ESCAPEMENT_TEST_SEED !== undefined;
