// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// The smallest contract wallet there can be: one owner, who signs plain digests for it (EIP-1271).
contract SmartWallet {
    address public immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    receive() external payable {}

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0xffffffff;
        address signer = ecrecover(digest, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
        return signer == owner && signer != address(0) ? this.isValidSignature.selector : bytes4(0xffffffff);
    }

    function execute(address target, uint256 value, bytes calldata data) external returns (bytes memory answer) {
        require(msg.sender == owner, "SmartWallet: caller is not the owner");
        bool done;
        (done, answer) = target.call{value: value}(data);
        require(done, "SmartWallet: call failed");
    }
}

/// Makes wallets at addresses known beforehand (CREATE2), so that one may sign before it exists (ERC-6492).
contract SmartWalletFactory {
    /// Answers the wallet that is already there when asked again: a deployment may be raced by another.
    function deploy(address owner, bytes32 salt) external returns (address wallet) {
        wallet = addressOf(owner, salt);
        if (wallet.code.length == 0) new SmartWallet{salt: salt}(owner);
    }

    function addressOf(address owner, bytes32 salt) public view returns (address) {
        bytes32 creation = keccak256(abi.encodePacked(type(SmartWallet).creationCode, abi.encode(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", address(this), salt, creation)))));
    }
}
