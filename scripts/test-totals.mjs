import { readFileSync } from 'node:fs';

/**
 * Print `N passed, N failed` from a JSON report of the tests. Fail if a test failed or none ran. A test file that could
 * not be loaded counts as one failure.
 */
const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const brokenFiles = testResults.filter(
  (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
).length;
const failed = numFailedTests + brokenFiles;
process.stdout.write(`${numPassedTests} passed, ${failed} failed\n`);
process.exitCode = failed > 0 || numPassedTests === 0 ? 1 : 0;
