// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// A token that is worth nothing and says whatever it is told to, in the words of the real one.
contract FalseToken {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);

    function pretend(address from, address to, uint256 value, bytes32 nonce) external {
        emit AuthorizationUsed(from, nonce);
        emit Transfer(from, to, value);
    }
}
