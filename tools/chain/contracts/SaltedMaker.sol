// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// Makes whatever it is given, at an address known beforehand (CREATE2).
contract SaltedMaker {
    function make(bytes32 salt, bytes calldata creation) external returns (address made) {
        bytes memory code = creation;
        assembly ("memory-safe") {
            made := create2(0, add(code, 32), mload(code), salt)
        }
        require(made != address(0), "SaltedMaker: nothing was made");
    }
}
