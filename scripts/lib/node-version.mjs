/** Minimum version for the compiler and the test runner; the library itself works from 20.3. */
const NEEDED = '20.19 or newer of Node 20, or 22.12 or newer';

/** Why this version of Node cannot run the demo and the tests, in one sentence; undefined if it can. */
export function nodeProblem(version) {
  const [major, minor] = version.split('.').map(Number);
  const isNewEnough = major === 20 ? minor >= 19 : major === 22 ? minor >= 12 : major > 22;
  return isNewEnough ? undefined : `Node ${version} is too old for the demo and the tests: install ${NEEDED}.`;
}
