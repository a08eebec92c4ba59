/** What the compiler and the test runner need; the library itself loads on 20.3. */
const NEEDED = '20.19 or newer of Node 20, or 22.12 or newer';

/** Why a version of Node cannot run the demo and the tests, in one sentence; undefined where it can. */
export function nodeProblem(version) {
  const [major, minor] = version.split('.').map(Number);
  const isNewEnough = major === 20 ? minor >= 19 : major === 22 ? minor >= 12 : major > 22;
  return isNewEnough ? undefined : `Node ${version} is too old for the demo and the tests: install ${NEEDED}.`;
}
