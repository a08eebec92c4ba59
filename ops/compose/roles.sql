-- Run this once as a superuser: it makes a role that owns the ledger and is no superuser, and two roles that own
-- nothing.
create role escapement_owner login password 'owner';
create role escapement_trigger login password 'trigger';
create role escapement_client login password 'client';
create database escapement owner escapement_owner;
