// Of @aws-sdk/rds-signer, which is not ours.
declare class Signer {
  constructor(options: { hostname: string; port: number; username: string });
  getAuthToken(): Promise<string>;
}
declare const hostname: string;
